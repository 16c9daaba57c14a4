// The module that nanobind makes.
#include "PyGPU/nanobind.h"

#include "functions.hpp"

#include <nanobind/stl/vector.h>

NB_MODULE(bound, module) { functions::bind(module); }
