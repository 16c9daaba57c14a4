// Reading the configuration of a launch from keywords, or from the brackets of `kernel[grid, block]`.
#include "kernels/configuration.hpp"

#include "binding/argument_errors.hpp"
#include "convert/sequences.hpp"
#include "python/boolean.hpp"
#include "python/small_int.hpp"
#include "types/structs/object.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <cstring>

namespace pygpu::kernels {
namespace {

enum class Key : std::size_t { grid, block, stream, shared, cooperative, cluster };
constexpr const char *names[] = {"grid", "block", "stream", "shared", "cooperative", "cluster"};
constexpr std::size_t positional = 4;

bool not_integers(const char *kernel, const char *what, PyObject *object) {
    if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError)) return false;
    PyErr_Format(PyExc_TypeError, "%s(): %s must be made of integers, not %.80s%s", kernel, what,
                 Py_TYPE(object)->tp_name,
                 PyFloat_Check(object) ? ": (n + size - 1) // size divides and rounds up" : "");
    return false;
}

bool load_unsigned(const char *kernel, const char *what, PyObject *object, unsigned &value) {
    Py_ssize_t number = 0;
    if (!read_small_int(object, number)) {
        if (PyBool_Check(object) || !PyIndex_Check(object)) return not_integers(kernel, what, object);
        number = PyNumber_AsSsize_t(object, nullptr); // clips large numbers, which are refused below
        if (number == -1 && PyErr_Occurred()) return not_integers(kernel, what, object);
    }
    if (number < 0 || number > static_cast<Py_ssize_t>(UINT_MAX)) {
        PyErr_Format(PyExc_ValueError, "%s(): %s takes integers from 0 to %u, not %R", kernel, what, UINT_MAX,
                     object);
        return false;
    }
    value = static_cast<unsigned>(number);
    return true;
}

// numpy's arrays are sequences and have __index__, but only those without axes are integers.
bool counts_as_integer(PyObject *object) {
    if (PyLong_CheckExact(object) || !is_sequence(object)) return true;
    const bool sized = PySequence_Size(object) >= 0;
    PyErr_Clear();
    return !sized;
}

bool load_items(const char *kernel, const char *what, PyObject *object, Dimensions &dimensions) {
    if (!PyTuple_Check(object) && !PyList_Check(object) && counts_as_integer(object))
        return load_unsigned(kernel, what, object, dimensions[0]);
    const Reference all(PySequence_Tuple(object));
    if (!all) return false;
    const Py_ssize_t count = PyTuple_GET_SIZE(all.get());
    if (count < 1 || count > 3) {
        PyErr_Format(PyExc_ValueError, "%s(): %s has 1 to 3 dimensions, not %zd", kernel, what, count);
        return false;
    }
    for (Py_ssize_t at = 0; at < count; ++at) {
        if (!load_unsigned(kernel, what, PyTuple_GET_ITEM(all.get(), at),
                           dimensions[static_cast<std::size_t>(at)]))
            return false;
    }
    return true;
}

// A sequence of one to three integers, one integer, or a dim3.
bool load_dimensions(const char *kernel, const char *what, PyObject *object, Dimensions &dimensions) {
    dimensions = {1, 1, 1};
    if (const StructObject *dim3 = as_struct(object);
        dim3 && dim3->kind->is_short() && dim3->shape().size == sizeof dimensions) // a dim3
        std::memcpy(dimensions.data(), dim3->data, sizeof dimensions);
    else if (!load_items(kernel, what, object, dimensions))
        return false;
    if (std::ranges::find(dimensions, 0u) == dimensions.end()) return true;
    PyErr_Format(PyExc_ValueError, "%s(): %s = %R is empty", kernel, what, object);
    return false;
}

bool load(const char *kernel, Key key, PyObject *value, Configuration &configuration) {
    switch (key) {
    case Key::grid:
        return load_dimensions(kernel, "grid", value, configuration.grid);
    case Key::block:
        return load_dimensions(kernel, "block", value, configuration.block);
    case Key::cluster:
        configuration.cluster = {0, 0, 0};
        return value == Py_None || load_dimensions(kernel, "cluster", value, configuration.cluster);
    case Key::stream:
        configuration.stream = Reference::borrow(value);
        return true;
    case Key::shared:
        return load_unsigned(kernel, "shared", value, configuration.shared);
    case Key::cooperative: {
        const int truth = is_bool(value) ? PyObject_IsTrue(value) : -1;
        configuration.cooperative = truth > 0;
        if (truth < 0 && !PyErr_Occurred())
            PyErr_Format(PyExc_TypeError, "%s(): 'cooperative' must be a bool, not %.80s", kernel,
                         type_description(value));
        return truth >= 0;
    }
    }
    return false;
}

} // namespace

bool load_positional(const char *kernel, PyObject *items, Configuration &configuration) {
    const bool tuple = PyTuple_Check(items);
    const std::size_t count = tuple ? static_cast<std::size_t>(PyTuple_GET_SIZE(items)) : 1;
    if (!tuple || count < 2 || count > positional) {
        PyErr_Format(PyExc_TypeError,
                     "%s[...] takes [grid, block], [grid, block, stream] or "
                     "[grid, block, stream, shared]",
                     kernel);
        return false;
    }
    for (std::size_t at = 0; at < count; ++at) {
        PyObject *value = PyTuple_GET_ITEM(items, static_cast<Py_ssize_t>(at));
        if (!load(kernel, static_cast<Key>(at), value, configuration)) return false;
    }
    return true;
}

bool load_keyword(const char *kernel, PyObject *name, PyObject *value, Configuration &configuration) {
    static const std::array<PyObject *, std::size(names)> interned = [] {
        std::array<PyObject *, std::size(names)> all{};
        for (std::size_t at = 0; at < all.size(); ++at) all[at] = PyUnicode_InternFromString(names[at]);
        return all;
    }();
    for (std::size_t at = 0; at < interned.size(); ++at) {
        if (name == interned[at]) return load(kernel, static_cast<Key>(at), value, configuration);
    }
    for (std::size_t at = 0; at < interned.size(); ++at) { // a name that was made at run time
        if (!PyUnicode_CompareWithASCIIString(name, names[at]))
            return load(kernel, static_cast<Key>(at), value, configuration);
    }
    PyErr_Format(PyExc_TypeError,
                 "%s() has no keyword %R; there are grid, block, stream, shared, cooperative and "
                 "cluster, and a kernel's arguments have no names",
                 kernel, name);
    return false;
}

} // namespace pygpu::kernels
