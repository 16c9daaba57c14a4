// What C functions in front of callables share.
#include "types/callbacks/callable.hpp"

#include "python/gil.hpp"

#include <cstdint>

namespace pygpu {

bool is_python_callable(PyObject *object) { return PyCallable_Check(object) && !is_c_pointer(object); }

bool load_c_function(PyObject *object, const Place &place, Memory &memory) {
    if (object == Py_None || is_address(object)) {
        return memory.load(object, place, Access::address);
    }
    return type_error(place, "a callable, an address (int), a ctypes function or None", object);
}

// No object here has a destructor: see enter_python().
void call_from_c(Called &called, PyObject **arguments, std::size_t count) {
    bool converted = true;
    for (std::size_t at = 0; at < count; ++at) converted = converted && arguments[at];
    PyObject *result = converted ? PyObject_Vectorcall(called.callable, arguments, count, nullptr) : nullptr;
    if (!result) PyErr_WriteUnraisable(called.callable);
    Py_XDECREF(result);
    for (std::size_t at = 0; at < count; ++at) Py_XDECREF(arguments[at]);
    called.drop();
}

void call_with_data(void *token) {
    enter_python([&] {
        Called called = recall(reinterpret_cast<Token>(token));
        if (!called.callable) return;
        PyObject *arguments[] = {Py_NewRef(called.data)};
        call_from_c(called, arguments, 1);
    });
}

} // namespace pygpu
