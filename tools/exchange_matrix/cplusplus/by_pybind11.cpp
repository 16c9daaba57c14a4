// The module that pybind11 makes.
#include "PyGPU/pybind11.h"

#include "functions.hpp"

#include <pybind11/stl.h>

PYBIND11_MODULE(bound, module) { functions::bind(module); }
