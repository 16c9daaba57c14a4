// Functions that only make a struct, such as make_cudaExtent. The headers define them inline.
#pragma once

#include "binding/function.hpp"
#include "binding/function_record.hpp"
#include "types/structs/struct_class.hpp"

#include <Python.h>

#include <span>

namespace pygpu {

// The record's parameters are the positional fields of the struct. A function without parameters has fixed
// values for them.
struct Maker {
    FunctionRecord record;
    StructClass &kind;
    std::span<const long long> fixed{};
};

PyObject *make_struct(const Maker &maker, PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                      PyObject *keywords);

template <const Maker &which>
PyObject *make_struct(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *keywords) {
    return make_struct(which, self, args, nargs, keywords);
}

// The function-table entry of a maker.
template <const Maker &which> inline constexpr Function maker = {&which.record, &make_struct<which>};

} // namespace pygpu
