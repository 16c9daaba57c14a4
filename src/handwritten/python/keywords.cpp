// Placing the arguments of a call.
#include "python/keywords.hpp"

#include "base/nearest.hpp"
#include "python/spelled.hpp"

namespace pygpu {
namespace {

struct Placing {
    const char *call;
    std::span<const char *const> names;
    PyObject **values;

    bool by_place(PyObject *const *args, Py_ssize_t nargs) const {
        if (nargs > static_cast<Py_ssize_t>(names.size())) {
            PyErr_Format(PyExc_TypeError, "%s takes at most %zu arguments, not %zd", call, names.size(),
                         nargs);
            return false;
        }
        for (Py_ssize_t at = 0; at < nargs; ++at) values[at] = args[at];
        return true;
    }

    bool by_name(PyObject *name, PyObject *value) const {
        std::size_t index = 0;
        while (index < names.size() && PyUnicode_CompareWithASCIIString(name, names[index])) ++index;
        if (index == names.size()) {
            const char *text = spelled(name);
            Nearest meant(text ? text : "");
            for (const char *one : names) meant.consider(one);
            PyErr_Format(PyExc_TypeError, "%s has no parameter %R%s", call, name, meant.hint().c_str());
            return false;
        }
        if (values[index]) {
            PyErr_Format(PyExc_TypeError, "%s: parameter %R is given twice", call, name);
            return false;
        }
        values[index] = value;
        return true;
    }

    bool has_all(int required) const {
        for (int at = 0; at < required; ++at) {
            if (values[at]) continue;
            PyErr_Format(PyExc_TypeError, "%s: parameter '%s' is missing", call,
                         names[static_cast<std::size_t>(at)]);
            return false;
        }
        return true;
    }
};

} // namespace

bool place_arguments(const char *call, std::span<const char *const> names, int required,
                     PyObject *const *args, Py_ssize_t nargs, PyObject *keywords, PyObject **values) {
    const Placing placing{call, names, values};
    if (!placing.by_place(args, nargs)) return false;
    for (Py_ssize_t at = 0; keywords && at < PyTuple_GET_SIZE(keywords); ++at) {
        if (!placing.by_name(PyTuple_GET_ITEM(keywords, at), args[nargs + at])) return false;
    }
    return placing.has_all(required);
}

bool place_arguments(const char *call, std::span<const char *const> names, int required, PyObject *args,
                     PyObject *kwargs, PyObject **values) {
    if (kwargs && !PyArg_ValidateKeywordArguments(kwargs)) return false; // Python itself does not look
    const Placing placing{call, names, values};
    const Py_ssize_t nargs = PyTuple_GET_SIZE(args);
    if (!placing.by_place(nargs ? &PyTuple_GET_ITEM(args, 0) : nullptr, nargs)) return false;
    PyObject *name = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; kwargs && PyDict_Next(kwargs, &at, &name, &value);) {
        if (!placing.by_name(name, value)) return false;
    }
    return placing.has_all(required);
}

bool load_flag(PyObject *object, bool otherwise, bool &value) {
    const int truth = object ? PyObject_IsTrue(object) : otherwise;
    value = truth == 1;
    return truth >= 0;
}

} // namespace pygpu
