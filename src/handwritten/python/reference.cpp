// Releasing objects in destructors.
#include "python/reference.hpp"

namespace pygpu {

// Python code may run here, and at exit CPython may end this thread in it by unwinding the stack. That must
// not leave a destructor.
void end_object(PyObject *object) noexcept {
    try {
        Py_DECREF(object);
    } catch (...) {
        park_thread();
    }
}

void release_buffer(Py_buffer &view) noexcept {
    park_if_overtaken();
    try {
        PyBuffer_Release(&view);
    } catch (...) {
        park_thread();
    }
}

} // namespace pygpu
