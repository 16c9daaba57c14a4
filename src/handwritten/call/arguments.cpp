// Matching arguments with parameters, and saying which don't match.
#include "call/arguments.hpp"

#include "call/flavor.hpp"
#include "call/place.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace pygpu {
namespace {

std::string signature(const Row &row) {
    const char *end = std::strstr(row.doc, "\n");
    return std::string(row.doc, end ? static_cast<std::size_t>(end - row.doc) : std::strlen(row.doc));
}

} // namespace

bool arrange(const Row &row, PyObject *self, PyObject *const *args, Py_ssize_t given, PyObject *keywords,
             PyObject **slots, std::size_t count) {
    const Row &names = shown(flavor_of(self), row);
    const auto positional = static_cast<std::size_t>(given);
    const std::size_t most = std::min(count, row.positional);
    if (positional > most) {
        PyErr_Format(PyExc_TypeError, "%s takes %zu positional argument%s, %zu given",
                     signature(names).c_str(), most, most == 1 ? "" : "s", positional);
        return false;
    }
    for (std::size_t at = 0; at < count; ++at) slots[at] = at < positional ? args[at] : nullptr;

    const Py_ssize_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
    for (Py_ssize_t key = 0; key < named; ++key) {
        PyObject *name = PyTuple_GET_ITEM(keywords, key);
        std::size_t at = 0;
        while (at < count && PyUnicode_CompareWithASCIIString(name, names.parameters[at].name)) ++at;
        if (at == count) {
            PyErr_Format(PyExc_TypeError, "%s has no parameter '%U'", signature(names).c_str(), name);
            return false;
        }
        if (slots[at]) {
            PyErr_Format(PyExc_TypeError, "%s(): parameter '%U' given twice", names.name, name);
            return false;
        }
        slots[at] = args[given + key];
    }
    for (std::size_t at = 0; at < count; ++at) {
        if (!slots[at] && !row.parameters[at].optional) {
            PyErr_Format(PyExc_TypeError, "%s: parameter '%s' is missing", signature(names).c_str(),
                         names.parameters[at].name);
            return false;
        }
    }
    return true;
}

} // namespace pygpu
