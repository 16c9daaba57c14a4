// The test module that is bound with nanobind.
#include "PyGPU/nanobind.h"

#include "functions.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

NB_MODULE(bound, module) { functions::bind(module); }
