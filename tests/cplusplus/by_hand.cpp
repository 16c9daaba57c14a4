// The test module that is bound with Python's own C API.
#include "PyGPU/from_python.h"

#include "functions.hpp"

namespace {

PyObject *sum(PyObject *, PyObject *object) {
    pygpu::argument<functions::ConstFloat> span;
    if (!span.load(object, "sum(): parameter 'x'")) return nullptr;
    return PyFloat_FromDouble(functions::sum(span.value()));
}

PyObject *twice(PyObject *, PyObject *object) {
    pygpu::argument<functions::Float> span;
    if (!span.load(object, "twice(): parameter 'x'")) return nullptr;
    functions::twice(span.value());
    Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"sum", sum, METH_O, nullptr}, {"twice", twice, METH_O, nullptr}, {nullptr, nullptr, 0, nullptr}};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "bound", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

} // namespace

PyMODINIT_FUNC PyInit_bound() { return PyModule_Create(&definition); }
