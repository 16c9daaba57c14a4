// Filling an array with one value.
#include "arrays/base/numpy.hpp"
#include "arrays/types/gpu_array/exchange.hpp"
#include "arrays/types/gpu_array/operation.hpp"
#include "binding/argument_errors.hpp"
#include "binding/status_type.hpp"
#include "convert/sizes.hpp"
#include "python/gil.hpp"
#include "python/keywords.hpp"
#include "python/package.hpp"
#include "python/reference.hpp"

#include <cfloat>
#include <climits>
#include <cmath>
#include <cstring>

namespace pygpu::arrays {
namespace {

constexpr const char *fill_name = "GPUArray.fill()";

bool fill_array(Array &array, const char *pattern, const StreamArgument &stream, bool asynchronous) {
    const Layout layout = array.layout();
    if (!array.buffer->check_writable(fill_name)) return false;
    if (!layout.count() || !layout.itemsize) return true;
    Operation operation(*array.buffer, stream, asynchronous);
    int &status = operation.status;
    if (!status) {
        Job job = operation.job();
        {
            GilReleased released(true);
            status = fill(job, array.data, axes_of(layout, layout.strides), pattern, layout.itemsize);
        }
        if (job.fence) array.buffer->note_filled(job.fence);
    }
    operation.keep();
    operation.finish();
    if (status) raise_status(operation.runtime, status, "%s", fill_name);
    return !status;
}

struct Pattern {
    char bytes[16];

    template <class Value> bool put(Value value) {
        std::memcpy(bytes, &value, sizeof value);
        return true;
    }
};

// Puts an integer of this size; false if it is out of range. The bytes are two's complement for either sign.
bool put_integer(Pattern &pattern, long long value, bool is_signed, ssize_t size) {
    const int bits = static_cast<int>(size) * CHAR_BIT;
    if (!is_signed && value < 0) return false;
    const int width = is_signed ? bits - 1 : bits; // the most bits that a value may have
    if (width < 63 && (value >= (1LL << width) || value < -(1LL << width))) return false;
    return pattern.put(value); // all machines with these devices are little-endian
}

bool put_real(Pattern &pattern, double value, ssize_t size) {
    if (size == 8) return pattern.put(value);
    if (size != 4 || (std::isfinite(value) && std::fabs(value) > FLT_MAX)) return false;
    return pattern.put(static_cast<float>(value));
}

// Converts a Python number to the bytes of the dtype, if the result is certainly that of numpy. False in all
// other cases, in which numpy has to decide.
bool convert(PyObject *value, const Array &array, Pattern &pattern) {
    const char kind = plain_kind(array.dtype);
    if (!kind) return false;
    pattern = {};
    const bool is_float = PyFloat_CheckExact(value);
    double real = 0;
    if (is_float) {
        real = PyFloat_AS_DOUBLE(value);
    } else {
        if (!PyLong_CheckExact(value) && !PyBool_Check(value)) return false;
        int overflow = 0;
        const long long integer = PyLong_AsLongLongAndOverflow(value, &overflow);
        if (overflow) return false;
        if (kind == 'i' || kind == 'u') return put_integer(pattern, integer, kind == 'i', array.itemsize);
        constexpr long long exact = 1LL << DBL_MANT_DIG;
        if (integer > exact || integer < -exact) return false;
        real = static_cast<double>(integer);
    }
    switch (kind) {
    case 'b':
        return pattern.put(static_cast<char>(real != 0));
    case 'f':
        return put_real(pattern, real, array.itemsize);
    case 'c':
        return put_real(pattern, real, array.itemsize / 2);
    default:
        return false;
    }
}

// Sets all elements. Numpy first converts a value that is no plain number, by the function `converter`.
bool set_elements(PyObject *self, PyObject *value, PyObject *on, const PackageName &converter,
                  bool on_device) {
    if (StatusType::check(value)) { // numpy would take its int
        PyErr_Format(PyExc_TypeError, "GPUArray: a value for elements is needed, not %.80s",
                     type_description(value));
        return false;
    }
    Pattern pattern;
    Array &array = array_of(self);
    const bool plain = !on_device && convert(value, array, pattern);
    const bool asynchronous = on != Py_None;
    Reference converted;
    if (!plain && !on_device) {
        converted = Reference(call_in_package(converter, "(OON)", value, array.dtype,
                                              sizes_to_python(array.shape(), array.axes())));
        if (!converted) return false;
    }
    Runtime *runtime = nullptr;
    StreamArgument stream;
    if (!begin(runtime) || !load_stream(on, fill_name, stream)) return false;
    if (plain) return fill_array(array, pattern.bytes, stream, asynchronous);
    if (on_device) return assign_array(self, value, stream, asynchronous, on);
    if (PyBytes_Check(converted.get()))
        return fill_array(array, PyBytes_AS_STRING(converted.get()), stream, asynchronous);
    return upload_elements(self, converted.get(), stream, asynchronous, "GPUArray.set()");
}

} // namespace

bool assign(PyObject *self, PyObject *value) {
    bool done = false;
    Reference foreign;
    if (!upload_alike(self, value, done)) return false;
    if (done) return true;
    if (!load_shared(value, "GPUArray: assigning", nullptr, foreign)) return false;
    if (foreign) value = foreign.get();
    return set_elements(self, value, Py_None, package::elements_of_value, is_array(value));
}

// fill(value, stream=None)
PyObject *fill_call(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    static const char *const names[] = {"value", "stream"};
    const Arguments values(fill_name, names, args, count, keywords);
    if (!values) return nullptr;
    const bool is_scalar = is_array(values[0]) && !array_of(values[0]).axes();
    return set_elements(self, values[0], values[1] ? values[1] : Py_None, package::pattern_of_value,
                        is_scalar)
               ? Py_NewRef(self)
               : nullptr;
}

// _fill(pattern, stream, asynchronous): every element becomes the pattern, bytes of the item's size.
PyObject *fill_with(PyObject *self, PyObject *args) {
    Py_buffer pattern;
    PyObject *on = nullptr;
    int later = 0;
    StreamArgument stream;
    Runtime *runtime = nullptr;
    if (!PyArg_ParseTuple(args, "y*Op", &pattern, &on, &later)) return nullptr;
    struct Release {
        Py_buffer *view;
        ~Release() { release_buffer(*view); }
    } release{&pattern};
    Array &array = array_of(self);
    if (!begin(runtime) || !load_stream(on, fill_name, stream)) return nullptr;
    if (pattern.len != array.itemsize)
        return PyErr_Format(PyExc_ValueError, "%s: the pattern has %zd bytes, not %zd", fill_name,
                            pattern.len, array.itemsize);
    if (!fill_array(array, static_cast<const char *>(pattern.buf), stream, later)) return nullptr;
    Py_RETURN_NONE;
}

} // namespace pygpu::arrays
