// Tensors whose memory alone doesn't hold what they stand for.
#pragma once

#include <Python.h>

namespace pygpu {

// Why the memory of a tensor may not be used as its values, with the way out; null if it may, or with an
// exception set. torch has such tensors, and neither its C exchange API nor its array interface refuses all:
// lazy negatives and conjugates, and tensors that record gradients, which would miss PyGPU's work. `kind` is
// numpy's letter for the elements: 'f' and 'c' are asked, no other can be of these.
const char *why_not_plain(PyObject *tensor, char kind);

} // namespace pygpu
