// Placing the arguments of a fast call.
#include "python/keywords.hpp"

#include "python/nearest.hpp"
#include "python/spelled.hpp"

namespace pygpu::arrays {

bool place_arguments(const char *call, const char *const *names, int count, PyObject *const *args,
                     Py_ssize_t given, PyObject *keywords, PyObject **values) {
    if (given > count) {
        PyErr_Format(PyExc_TypeError, "%s takes at most %d arguments, not %zd", call, count, given);
        return false;
    }
    for (Py_ssize_t at = 0; at < given; ++at) values[at] = args[at];
    for (Py_ssize_t at = 0; keywords && at < PyTuple_GET_SIZE(keywords); ++at) {
        PyObject *name = PyTuple_GET_ITEM(keywords, at);
        int place = 0;
        while (place < count && PyUnicode_CompareWithASCIIString(name, names[place])) ++place;
        if (place == count) {
            const char *text = spelled(name);
            Nearest meant(text ? text : "");
            for (int one = 0; one < count; ++one) meant.consider(names[one]);
            PyErr_Format(PyExc_TypeError, "%s has no parameter %R%s", call, name, meant.hint().c_str());
            return false;
        }
        if (values[place]) {
            PyErr_Format(PyExc_TypeError, "%s: parameter %R is given twice", call, name);
            return false;
        }
        values[place] = args[given + at];
    }
    if (!values[0]) PyErr_Format(PyExc_TypeError, "%s: parameter '%s' is missing", call, names[0]);
    return values[0];
}

} // namespace pygpu::arrays
