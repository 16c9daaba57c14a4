# A program without Python that finds PyGPU's headers.
cmake_minimum_required(VERSION 3.20...3.31)
project(consumer LANGUAGES CXX)
find_package(PyGPU CONFIG REQUIRED)
find_package(PyGPU CONFIG REQUIRED) # a second time changes nothing
add_executable(main main.cpp)
target_link_libraries(main PRIVATE PyGPU::headers)
