// The raising form of an outcome, and the outcome of a failure.
#include "call/outcome.hpp"

#include "call/checked.hpp"
#include "runtime/api.hpp"

namespace pygpu {

PyObject *drop(PyObject **values, std::size_t count) {
    for (std::size_t at = 0; at < count; ++at) Py_XDECREF(values[at]);
    return nullptr;
}

PyObject *checked_outcome(const BindingMode &mode, const FunctionRecord &record, int status,
                          PyObject **values, std::size_t count) {
    const bool succeeded = record.api.statuses.succeeded(status);
    if (!count) {
        if (record.checked == Checked::status) return mode.errors->get(status);
        if (record.checked == Checked::ready) return ready_or_raise(mode, record, status);
        if (succeeded && record.checked == Checked::success) return mode.errors->get(status);
        if (succeeded) Py_RETURN_NONE;
    }
    if (succeeded && count == 1) return values[0];
    PyObject *tuple = PyTuple_New(static_cast<Py_ssize_t>(count));
    if (!tuple) return drop(values, count);
    bool converted = true;
    for (std::size_t at = 0; at < count; ++at) {
        PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(at), values[at]);
        converted = converted && values[at];
    }
    if (!converted) Py_CLEAR(tuple);
    if (succeeded || !tuple) return tuple;
    return raise_status(mode, record, mode.errors->get(status), tuple);
}

PyObject *failure(const BindingMode &mode, const FunctionRecord &record, int status, std::size_t count) {
    if (!count && !mode.raising) return mode.errors->get(status);
    PyObject *values[most_outputs + 1];
    for (std::size_t at = 0; at < count; ++at) values[at] = Py_NewRef(Py_None);
    if (mode.raising) return checked_outcome(mode, record, status, values, count);
    values[count] = mode.errors->get(status);
    PyObject *tuple = values[count] ? PyTuple_New(static_cast<Py_ssize_t>(count + 1)) : nullptr;
    if (!tuple) return drop(values, count + 1);
    for (std::size_t at = 0; at <= count; ++at)
        PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(at), values[at]);
    return tuple;
}

PyObject *status_alone(const BindingMode &mode, const FunctionRecord &record, int status) {
    return mode.raising ? checked_outcome(mode, record, status, nullptr, 0) : mode.errors->get(status);
}

PyObject *raise_absent(const BindingMode &mode, const FunctionRecord &record, int status) {
    return raise_status(mode, record, mode.errors->get(status), PyTuple_New(0));
}

} // namespace pygpu
