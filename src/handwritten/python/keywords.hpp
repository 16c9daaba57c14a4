// Arguments of C-API functions that take keywords, in parameter order; and their PyMethodDef entries.
//
//     const Arguments given("Event.record()", {"stream"}, args, count, keywords, 0); // 0 are required
//     if (!given || !load_stream(given[0], "Event.record()", stream)) return nullptr;
#pragma once

#include <Python.h>

#include <span>

namespace pygpu {

// Puts the arguments of a call into the order of `names` (borrowed; null for one that was not given). False
// with TypeError set for too many arguments, an unknown name, an argument that is given twice, or a missing
// argument among the first `required`.
bool place_arguments(const char *call, std::span<const char *const> names, int required,
                     PyObject *const *args, Py_ssize_t nargs, PyObject *keywords, PyObject **values);
bool place_arguments(const char *call, std::span<const char *const> names, int required, PyObject *args,
                     PyObject *kwargs, PyObject **values);

// The truth value of an argument, or `otherwise` if it was not given. Returns false with an exception set.
bool load_flag(PyObject *object, bool otherwise, bool &value);

template <int count> class Arguments {
public:
    // Of a fast call.
    Arguments(const char *call, const char *const (&names)[count], PyObject *const *args, Py_ssize_t nargs,
              PyObject *keywords, int required = 1)
        : placed_(place_arguments(call, names, required, args, nargs, keywords, values_)) {}
    // Of a slot: a tuple, and a dict or null.
    Arguments(const char *call, const char *const (&names)[count], PyObject *args, PyObject *kwargs,
              int required = 1)
        : placed_(place_arguments(call, names, required, args, kwargs, values_)) {}

    explicit operator bool() const { return placed_; } // false with TypeError set

    PyObject *operator[](int at) const { return values_[at]; }
    // The same, but null for None, too.
    PyObject *unless_none(int at) const { return values_[at] == Py_None ? nullptr : values_[at]; }

private:
    PyObject *values_[count] = {};
    bool placed_;
};

// The pointer for a PyMethodDef, from a function of either form.
template <class... Values> PyCFunction with_keywords(PyObject *(*function)(Values...)) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

} // namespace pygpu
