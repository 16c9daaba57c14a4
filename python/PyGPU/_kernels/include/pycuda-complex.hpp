// PyCUDA's name for the header of complex numbers; pycuda::complex is pygpu::complex.
#pragma once
#include <pygpu/complex.hpp>
