// Calling the recorder. Its own calls aren't kept.
#include "trace/keep.hpp"

#include "binding/function_record.hpp"
#include "python/callback.hpp"
#include "python/exception_aside.hpp"
#include "python/reference.hpp"
#include "runtime/api.hpp"
#include "runtime/own_calls.hpp"
#include "trace/describe.hpp"
#include "trace/on.hpp"

#include <string>
#include <utility>

namespace pygpu::trace {
namespace {

PyObject *recorder = nullptr; // guarded by the GIL
thread_local bool inside = false;

class Inside {
public:
    Inside() { inside = true; }
    Inside(const Inside &) = delete;
    Inside &operator=(const Inside &) = delete;
    ~Inside() { inside = false; }
};

bool is_active() { return is_keeping() && recorder && !inside; }

// The recorder reports its own errors. What comes through is told, and changes nothing for the program.
PyObject *answer(PyObject *result) {
    if (!result) PyErr_WriteUnraisable(recorder);
    return result;
}

Reference bytes_object(const void *data, std::size_t size) {
    return Reference(
        PyBytes_FromStringAndSize(static_cast<const char *>(data), static_cast<Py_ssize_t>(size)));
}
Reference bytes_object(const std::string &text) { return bytes_object(text.data(), text.size()); }
Reference bytes_object(std::span<const std::byte> items) { return bytes_object(items.data(), items.size()); }

// Null references are missing memory: then the call fails, and says so.
PyObject *begin_with(const Api &api, const char *method, const Reference &description,
                     const Reference &values) {
    if (!description || !values) return answer(nullptr);
    return answer(PyObject_CallMethod(recorder, method, "iOO", current_device(api.own), description.get(),
                                      values.get()));
}

} // namespace

void keep_calls(PyObject *given) {
    if (given)
        active |= keeping;
    else
        active &= ~keeping;
    Py_XINCREF(given);
    Py_XDECREF(std::exchange(recorder, given));
}

void KeptCall::begin(const FunctionRecord &function, std::span<PyObject *const> arguments) {
    if (!is_active()) return;
    const Inside guard;
    const ExceptionAside aside;
    const Reference values(PyTuple_New(static_cast<Py_ssize_t>(arguments.size())));
    if (!values) return PyErr_Clear();
    for (std::size_t at = 0; at < arguments.size(); ++at)
        PyTuple_SET_ITEM(values.get(), static_cast<Py_ssize_t>(at),
                         Py_NewRef(arguments[at] ? arguments[at] : Py_Ellipsis)); // it was left out
    token_ = begin_with(function.api, "begin", bytes_object(described(function)), values);
}

void KeptCall::end(int status, bool raising, PyObject *result) {
    const Reference token(std::exchange(token_, nullptr));
    if (!recorder) return;
    const Inside guard;
    const ExceptionAside aside;
    const Reference done(
        answer(PyObject_CallMethod(recorder, "end", "OiOO", token.get(), status, raising ? Py_True : Py_False,
                                   result ? result : Py_None)));
}

void KeptOwnCall::begin(const Api &api, const OwnCall &call, std::span<const std::byte> items) {
    if (inside) return;
    const Inside guard;
    enter_python([&] {
        const ExceptionAside aside;
        if (recorder)
            token_ = begin_with(api, "begin_own", bytes_object(described(call)), bytes_object(items));
    });
}

void KeptOwnCall::end(int status, std::span<const std::byte> results) {
    if (!token_) return;
    const Inside guard;
    enter_python([&] {
        const ExceptionAside aside;
        const Reference items = bytes_object(results);
        if (recorder && items)
            Py_XDECREF(answer(PyObject_CallMethod(recorder, "end_own", "OiO", token_, status, items.get())));
        Py_DECREF(token_);
    });
}

} // namespace pygpu::trace
