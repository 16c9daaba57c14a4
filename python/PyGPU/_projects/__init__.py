"""What users' own C++ needs of PyGPU: headers, CMake files, a project to start from."""
