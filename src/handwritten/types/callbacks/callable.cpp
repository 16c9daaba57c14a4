// What all trampolines share.
#include "types/callbacks/callable.hpp"

#include "python/callback.hpp"

#include <climits>
#include <cstdint>

namespace pygpu {

bool is_python_callable(PyObject *object) { return PyCallable_Check(object) && !is_c_pointer(object); }

bool load_c_function(PyObject *object, const ArgumentContext &context, Memory &memory) {
    if (object == Py_None || is_address(object)) {
        return memory.load(object, context, Access::address);
    }
    return type_error(context, "a callable, an address (int), a ctypes function or None", object);
}

namespace {

// None counts as 0, because a callable may return nothing. False with the exception set.
bool take_result(PyObject *object, const Results &known, long long &result) {
    if (object == Py_None) {
        result = 0;
        return true;
    }
    if (!PyLong_Check(object)) { // a bool is an int, too
        PyErr_Format(PyExc_TypeError, "a callback must return an int, a bool or None, not %.80s",
                     Py_TYPE(object)->tp_name);
        return false;
    }
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow || value < known.least || value > known.greatest) {
        PyErr_Format(PyExc_OverflowError, "a callback returned %R, which is not between %lld and %lld",
                     object, known.least, known.greatest);
        return false;
    }
    result = value;
    return true;
}

// No object here may have a destructor, see enter_python().
void call(Called &called, PyObject **arguments, std::size_t count, const Results *known, long long *result) {
    bool converted = true;
    for (std::size_t at = 0; at < count; ++at) converted = converted && arguments[at];
    PyObject *returned =
        converted ? PyObject_Vectorcall(called.callable, arguments, count, nullptr) : nullptr;
    if (!returned || (known && !take_result(returned, *known, *result)))
        PyErr_WriteUnraisable(called.callable);
    Py_XDECREF(returned);
    for (std::size_t at = 0; at < count; ++at) Py_XDECREF(arguments[at]);
    called.drop();
}

} // namespace

void call_from_c(Called &called, PyObject **arguments, std::size_t count) {
    call(called, arguments, count, nullptr, nullptr);
}

void call_from_c(Called &called, PyObject **arguments, std::size_t count, const Results &known,
                 long long &result) {
    call(called, arguments, count, &known, &result);
}

namespace {

bool take_numbers(PyObject *object, long long *numbers, std::size_t count) {
    const Results known{0, LLONG_MAX};
    if (!PyTuple_Check(object)) return take_result(object, known, numbers[0]);
    const auto given = static_cast<std::size_t>(PyTuple_GET_SIZE(object));
    if (given > count) {
        PyErr_Format(PyExc_ValueError, "a callback must return at most %zu numbers, not %zu", count, given);
        return false;
    }
    for (std::size_t at = 0; at < given; ++at) {
        if (!take_result(PyTuple_GET_ITEM(object, static_cast<Py_ssize_t>(at)), known, numbers[at]))
            return false;
    }
    return true;
}

} // namespace

void call_for_numbers(Called &called, long long *numbers, std::size_t count) {
    PyObject *returned = PyObject_CallNoArgs(called.callable);
    if (!returned || !take_numbers(returned, numbers, count)) {
        PyErr_WriteUnraisable(called.callable);
        for (std::size_t at = 0; at < count; ++at) numbers[at] = 0;
    }
    Py_XDECREF(returned);
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
