// Telling tensors from numbers, and those whose memory alone doesn't hold what they stand for.
#pragma once

#include <Python.h>

namespace pygpu {

// Whether an object is a tensor or an array in a form in which other libraries expose them. torch's tensors
// are no sequences in C, and those of one integer have the index method: that integer is no address.
bool is_tensor(PyObject *object);

// Why the memory of a tensor may not be used as its values, with the way out; null if it may, or with an
// exception set. torch has such tensors, and neither its C exchange API nor its array interface refuses all:
// lazy negatives and conjugates, and tensors that record gradients, which would miss PyGPU's work. `kind` is
// numpy's letter for the elements: 'f' and 'c' are asked, no other can be of these.
const char *why_not_plain(PyObject *tensor, char kind);

} // namespace pygpu
