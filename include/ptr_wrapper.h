// The published place of ptr_wrapper<T>, with its published names.
#pragma once

#include "PyGPU/ptr_wrapper.h"

using pygpu::obj_wrapper;
using pygpu::ptr_wrapper;
