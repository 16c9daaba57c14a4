// What nvcc knows without an include. PyGPU includes it if a source doesn't compile without.
#pragma once
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <ctime>
