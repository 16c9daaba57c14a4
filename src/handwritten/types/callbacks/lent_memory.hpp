// Memory that callbacks give to C, which later gives it back with something in it.
#pragma once

#include <Python.h>

#include <cstddef>

namespace pygpu {

// Zeros, aligned as malloc's memory is; null if there is no such memory.
void *lend_memory(std::size_t size);
// Frees memory that was lent; leaves other memory alone.
void take_back_memory(void *memory);
// The first bytes of such memory, as many as there are at most. None for null.
PyObject *lent_bytes(const void *memory, std::size_t size);

} // namespace pygpu
