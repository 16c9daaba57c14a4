// The raising form of an outcome, and the outcome of a failure.
#include "call/outcome.hpp"

#include "call/checked.hpp"

namespace pygpu {

PyObject *drop(PyObject **values, std::size_t count) {
    for (std::size_t at = 0; at < count; ++at) Py_XDECREF(values[at]);
    return nullptr;
}

PyObject *checked_outcome(const Flavor &flavor, const Row &row, int status, PyObject **values,
                          std::size_t count) {
    if (!count) {
        if (row.checked == Checked::status) return flavor.errors->get(status);
        if (row.checked == Checked::ready) return ready_or_raise(flavor, row, status);
        if (!status) Py_RETURN_NONE;
    }
    if (!status && count == 1) return values[0];
    PyObject *tuple = PyTuple_New(static_cast<Py_ssize_t>(count));
    if (!tuple) return drop(values, count);
    bool converted = true;
    for (std::size_t at = 0; at < count; ++at) {
        PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(at), values[at]);
        converted = converted && values[at];
    }
    if (!converted) Py_CLEAR(tuple);
    if (!status || !tuple) return tuple;
    return raise_status(flavor, row, flavor.errors->get(status), tuple);
}

PyObject *failure(const Flavor &flavor, const Row &row, int status, std::size_t count) {
    if (!count && !flavor.raising) return flavor.errors->get(status);
    PyObject *values[most_outputs + 1];
    for (std::size_t at = 0; at < count; ++at) values[at] = Py_NewRef(Py_None);
    if (flavor.raising) return checked_outcome(flavor, row, status, values, count);
    values[count] = flavor.errors->get(status);
    PyObject *tuple = values[count] ? PyTuple_New(static_cast<Py_ssize_t>(count + 1)) : nullptr;
    if (!tuple) return drop(values, count + 1);
    for (std::size_t at = 0; at <= count; ++at)
        PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(at), values[at]);
    return tuple;
}

PyObject *raise_absent(const Flavor &flavor, const Row &row, int status) {
    return raise_status(flavor, row, flavor.errors->get(status), PyTuple_New(0));
}

} // namespace pygpu
