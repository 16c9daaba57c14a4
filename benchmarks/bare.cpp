// The least that a launch from Python can cost: a call without arguments that releases the GIL, launches with
// what was packed before, and returns None.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace {

using Launch = int(void *kernel, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned shared,
                   void *stream, void **arguments, void **extra);

// What launch() launches: the launch that was prepared last.
struct {
    Launch *call;
    void *kernel, *stream;
    unsigned grid, block;
    unsigned long long words[32];
    void *arguments[32];
    Py_ssize_t count;
} prepared;

PyObject *prepare(PyObject *const *given) {
    prepared.call = reinterpret_cast<Launch *>(PyLong_AsVoidPtr(given[0]));
    prepared.kernel = PyLong_AsVoidPtr(given[1]);
    prepared.grid = static_cast<unsigned>(PyLong_AsUnsignedLong(given[2]));
    prepared.block = static_cast<unsigned>(PyLong_AsUnsignedLong(given[3]));
    prepared.stream = PyLong_AsVoidPtr(given[4]);
    prepared.count = PyList_Size(given[5]);
    if (prepared.count > 32) return PyErr_Format(PyExc_ValueError, "launch(): at most 32 arguments");
    for (Py_ssize_t at = 0; at < prepared.count; ++at) {
        prepared.words[at] = PyLong_AsUnsignedLongLongMask(PyList_GetItem(given[5], at));
        prepared.arguments[at] = &prepared.words[at];
    }
    return PyErr_Occurred() ? nullptr : Py_NewRef(Py_None);
}

// launch(address, kernel, grid, block, stream, [words]) prepares a launch. With any other number of
// arguments, launch() launches.
PyObject *launch(PyObject *, PyObject *const *given, Py_ssize_t count) {
    if (count == 6) return prepare(given);
    int status = 0;
    Py_BEGIN_ALLOW_THREADS;
    status = prepared.call(prepared.kernel, prepared.grid, 1, 1, prepared.block, 1, 1, 0, prepared.stream,
                           prepared.count ? prepared.arguments : nullptr, nullptr);
    Py_END_ALLOW_THREADS;
    if (status) return PyErr_Format(PyExc_RuntimeError, "cuLaunchKernel: %d", status);
    Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"launch", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(launch)), METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "bare", nullptr, 0, methods, nullptr, nullptr, nullptr, nullptr};

} // namespace

PyMODINIT_FUNC PyInit_bare() { return PyModule_Create(&definition); }
