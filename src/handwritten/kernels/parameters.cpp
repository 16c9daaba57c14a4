// Reading the facts about a kernel's parameters that PyGPU's Python code has found out.
#include "kernels/parameters.hpp"

#include "python/reference.hpp"

#include <string_view>
#include <utility>

namespace pygpu::kernels {
namespace {

constexpr std::pair<std::string_view, Holds> kinds[] = {{"", Holds::anything},  {"integer", Holds::integer},
                                                        {"float", Holds::real}, {"pointer", Holds::pointer},
                                                        {"word", Holds::word},  {"bytes", Holds::bytes}};

bool load_one(PyObject *object, Parameter &parameter) {
    if (!PyTuple_Check(object) || PyTuple_GET_SIZE(object) < 2) {
        PyErr_SetString(PyExc_TypeError, "kernel: a parameter is a tuple (size, kind, ...)");
        return false;
    }
    parameter.size = PyLong_AsSize_t(PyTuple_GET_ITEM(object, 0));
    const char *name = PyErr_Occurred() ? nullptr : PyUnicode_AsUTF8(PyTuple_GET_ITEM(object, 1));
    if (!name) return false;
    for (const auto &[known, holds] : kinds) {
        parameter.holds = holds;
        if (known == name) return true;
    }
    PyErr_Format(PyExc_ValueError, "kernel: %.80s is no kind of parameter", name);
    return false;
}

} // namespace

bool load_parameters(PyObject *object, std::vector<Parameter> &parameters) {
    const Reference all(PySequence_Tuple(object));
    if (!all) return false;
    parameters.resize(static_cast<std::size_t>(PyTuple_GET_SIZE(all.get())));
    Py_ssize_t at = 0;
    for (Parameter &one : parameters) {
        if (!load_one(PyTuple_GET_ITEM(all.get(), at++), one)) return false;
    }
    return true;
}

} // namespace pygpu::kernels
