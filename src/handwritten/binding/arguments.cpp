// Matching arguments with parameters, and saying which don't match.
#include "binding/arguments.hpp"

#include "base/nearest.hpp"
#include "binding/mode.hpp"
#include "binding/signature.hpp"
#include "python/spelled.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace pygpu {
namespace {

// A default as a Python int, borrowed. There are few different ones, and none is ever freed.
PyObject *number(long long value) {
    static std::unordered_map<long long, PyObject *> known;
    PyObject *&one = known[value];
    if (!one) one = PyLong_FromLongLong(value);
    return one;
}

} // namespace

bool arrange(const FunctionRecord &record, PyObject *self, PyObject *const *args, Py_ssize_t nargs,
             PyObject *keywords, PyObject **slots, std::size_t count) {
    const FunctionRecord &names = shown(mode_of(self), record);
    const auto positional = static_cast<std::size_t>(nargs);
    const std::size_t most = std::min<std::size_t>(count, record.positional);
    if (positional > most) {
        PyErr_Format(PyExc_TypeError, "%s takes %zu positional argument%s, %zu given",
                     signature(names).c_str(), most, most == 1 ? "" : "s", positional);
        return false;
    }
    for (std::size_t at = 0; at < count; ++at) slots[at] = at < positional ? args[at] : nullptr;

    const Py_ssize_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
    for (Py_ssize_t key = 0; key < named; ++key) {
        PyObject *name = PyTuple_GET_ITEM(keywords, key);
        const char *text = spelled(name);
        const std::size_t at = text ? parameter_index(names, text) : no_parameter;
        if (at >= count) {
            Nearest meant(text ? text : "");
            for (std::size_t one = 0; one < count; ++one) meant.consider(parameter_name(names, one));
            PyErr_Format(PyExc_TypeError, "%s has no parameter '%U'%s", signature(names).c_str(), name,
                         meant.hint().c_str());
            return false;
        }
        if (slots[at]) {
            PyErr_Format(PyExc_TypeError, "%s(): parameter '%U' given twice", names.name, name);
            return false;
        }
        slots[at] = args[nargs + key];
    }
    for (std::size_t at = 0; at < count; ++at) {
        if (slots[at]) continue;
        const std::size_t index = at + names.fallbacks.size();
        if (index < count) {
            PyErr_Format(PyExc_TypeError, "%s: parameter '%s' is missing", signature(names).c_str(),
                         std::string(parameter_name(names, at)).c_str());
            return false;
        }
        if (at + record.fallbacks.size() < count) { // CUDA's header has a default where HIP's has none
            slots[at] = number(names.fallbacks[index - count]);
            if (!slots[at]) return false;
        }
    }
    return true;
}

} // namespace pygpu
