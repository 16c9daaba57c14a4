// Making Python types on the C API.
#pragma once

#include <Python.h>

#include <cstddef>

namespace pygpu {

// What the objects of a class do: a member for each of Python's slots that a class of PyGPU fills. What is
// null is inherited.
struct TypeTable {
    newfunc create = nullptr; // the class is called
    destructor destroy = nullptr;
    traverseproc traverse = nullptr;
    inquiry clear = nullptr;
    destructor finish = nullptr; // before clear()
    reprfunc repr = nullptr, str = nullptr;
    hashfunc hash = nullptr;
    richcmpfunc compare = nullptr;
    getiterfunc iterate = nullptr;
    ternaryfunc call = nullptr;
    inquiry truth = nullptr;
    unaryfunc number = nullptr, index = nullptr; // int(), operator.index()
    binaryfunc subtract = nullptr;
    lenfunc length = nullptr;
    ssizeargfunc item = nullptr; // of a sequence
    binaryfunc subscript = nullptr;
    objobjargproc assign = nullptr;
    objobjproc contains = nullptr;
    getbufferproc lend = nullptr;
    releasebufferproc take_back = nullptr;
    PyMethodDef *methods = nullptr;
    PyGetSetDef *properties = nullptr;
    PyMemberDef *members = nullptr;
    const char *doc = nullptr;
    PyTypeObject *base = nullptr;
    std::size_t item_size = 0; // the bytes that each item adds to an object of variable size
    bool open = false;         // attributes of the class may be set
};

// A heap type; null with an exception set.
PyTypeObject *make_type(const char *name, std::size_t size, unsigned long flags, const TypeTable &table);
PyTypeObject *make_type(const char *name, std::size_t size, unsigned long flags, PyType_Slot *slots,
                        std::size_t item = 0);

// Frees an object whose C++ members are destroyed.
inline void free_object(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

// Destroys the C++ members of an object, then frees the object. If the garbage collector tracks it, untrack
// it before.
template <class Object> void destroy_plain(PyObject *self) {
    reinterpret_cast<Object *>(self)->~Object();
    free_object(self);
}

} // namespace pygpu
