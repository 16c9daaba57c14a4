// Arguments of kernels: arrays of PyGPU's, ints and floats, and all that raw launches take.
#include "kernels/arguments.hpp"

#include "arrays/memory/device_memory.hpp"
#include "arrays/types/gpu_array/array.hpp"
#include "arrays/types/per_dtype/device_array.hpp"
#include "binding/argument_errors.hpp"
#include "convert/scalars.hpp"

#include <cfloat>
#include <climits>
#include <cmath>
#include <cstring>
#include <string>

namespace pygpu::kernels {
namespace {

using arrays::Buffer;

// The memory of an array of PyGPU's, and where the array begins; null for anything else.
Buffer *buffer_of(PyObject *object, char *&data) {
    if (arrays::is_array(object)) {
        data = arrays::array_of(object).data;
        return arrays::array_of(object).buffer;
    }
    if (Buffer *buffer = arrays::device_array_buffer(object, data)) return buffer;
    return arrays::device_memory_buffer(object, data);
}

bool takes_int(const Parameter &parameter) {
    const bool width =
        parameter.size == 1 || parameter.size == 2 || parameter.size == 4 || parameter.size == 8;
    return width && parameter.holds != Holds::real && parameter.holds != Holds::bytes;
}

// A float of 2 bytes may be one of two types.
bool takes_float(const Parameter &parameter) {
    const bool width = parameter.size == 4 || parameter.size == 8;
    return width && (parameter.holds == Holds::real || parameter.holds == Holds::anything);
}

bool uncertain(PyObject *object, const Parameter &parameter, const ArgumentContext &context) {
    const char *what = parameter.holds == Holds::integer   ? "an integer"
                       : parameter.holds == Holds::pointer ? "a pointer"
                       : parameter.holds == Holds::word    ? "an integer or a pointer"
                       : parameter.holds == Holds::real    ? "a floating-point number"
                       : parameter.holds == Holds::bytes   ? "a struct"
                                                           : "a value";
    PyErr_Format(
        PyExc_TypeError,
        "%s is a bare %.80s, but the kernel takes %s of %zu bytes: say its type with numpy or ctypes",
        context.text().c_str(), Py_TYPE(object)->tp_name, what, parameter.size);
    return false;
}

} // namespace

bool LaunchArguments::load(const char *call, std::span<PyObject *const> given,
                           const std::vector<Parameter> *parameters, const ArgumentContext &context) {
    if (parameters && given.size() != parameters->size()) {
        PyErr_Format(PyExc_TypeError, "%s takes %zu arguments, got %zu", call, parameters->size(),
                     given.size());
        return false;
    }
    values_.reserve(given.size());
    uses_.reserve(given.size());
    for (std::size_t at = 0; at < given.size(); ++at) {
        const FieldPath step{context.path, nullptr, static_cast<Py_ssize_t>(at)};
        if (!load_one(call, given[at], parameters ? &(*parameters)[at] : nullptr, context.within(step)))
            return false;
    }
    return true;
}

bool LaunchArguments::load_one(const char *call, PyObject *object, const Parameter *parameter,
                               const ArgumentContext &context) {
    char *data = nullptr;
    if (parameter && (PyLong_Check(object) || PyFloat_CheckExact(object)))
        return load_bare(object, *parameter, context);
    if (Buffer *buffer = buffer_of(object, data)) {
        if (!load_array(call, *buffer, data)) return false;
    } else if (!values_.load_value(object, context)) {
        return false;
    }
    const std::size_t size = values_.sizes().back();
    if (!parameter || size == parameter->size) return true;
    PyErr_Format(PyExc_TypeError, "%s is a %.80s of %zu bytes, the kernel's parameter has %zu",
                 context.text().c_str(), type_description(object), size, parameter->size);
    return false;
}

bool LaunchArguments::load_array(const char *call, Buffer &buffer, char *data) {
    if (!buffer.check(call)) return false;
    uses_.add(buffer);
    values_.add_pointer(data);
    return true;
}

bool LaunchArguments::load_bare(PyObject *object, const Parameter &parameter,
                                const ArgumentContext &context) {
    if (PyFloat_CheckExact(object) || (parameter.holds == Holds::real && PyLong_CheckExact(object))) {
        if (!takes_float(parameter)) return uncertain(object, parameter, context);
        double wide = 0;
        if (!load_double(object, context, wide)) return false;
        if (parameter.size == sizeof wide) {
            values_.add_bytes(&wide, sizeof wide);
            return true;
        }
        if (std::isfinite(wide) && std::fabs(wide) > static_cast<double>(FLT_MAX))
            return overflow_error(context, object, "-3.4e38", "3.4e38");
        const float narrow = static_cast<float>(wide);
        values_.add_bytes(&narrow, sizeof narrow);
        return true;
    }
    // A bool is an int of Python's, but a number only where C has one byte for it.
    if (!takes_int(parameter) || (PyBool_Check(object) && parameter.size != 1))
        return uncertain(object, parameter, context);
    int overflow = 0;
    long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    const bool pointer = parameter.holds == Holds::pointer;
    if (pointer && value < 0) overflow = -1;
    if (overflow > 0) { // the upper half of the unsigned numbers
        value = static_cast<long long>(PyLong_AsUnsignedLongLong(object));
        if (!PyErr_Occurred()) overflow = parameter.size == 8 ? 0 : 1;
        PyErr_Clear();
    }
    // The smallest signed and the largest unsigned number: most kernels don't tell which they mean.
    const unsigned bits = static_cast<unsigned>(parameter.size) * 8;
    const long long least = pointer ? 0 : bits == 64 ? LLONG_MIN : -(1ll << (bits - 1));
    const bool fits = !overflow && (bits == 64 || (least <= value && value < (1ll << bits)));
    if (!fits) {
        const unsigned long long most = bits == 64 ? ULLONG_MAX : (1ull << bits) - 1;
        return overflow_error(context, object, std::to_string(least).c_str(), std::to_string(most).c_str());
    }
    values_.add_bytes(&value, parameter.size); // little-endian
    return true;
}

} // namespace pygpu::kernels
