// Provides ptr_wrapper<T> under its published path and its published names.
#pragma once

#include "PyGPU/ptr_wrapper.h"

using pygpu::obj_wrapper;
using pygpu::ptr_wrapper;
