// Arguments of kernels: PyGPU's arrays, ints and floats, and all that raw launches take.
#include "kernels/arguments.hpp"

#include "arrays/exchange/exchange_api.hpp"
#include "arrays/memory/device_memory.hpp"
#include "arrays/types/gpu_array/array.hpp"
#include "arrays/types/gpu_array/exchange.hpp"
#include "arrays/types/per_dtype/device_array.hpp"
#include "binding/argument_errors.hpp"
#include "convert/element.hpp"
#include "convert/pointer_provider.hpp"
#include "convert/scalars.hpp"
#include "types/launch/scalar_layout.hpp"

#include <cfloat>
#include <climits>
#include <cmath>
#include <string>
#include <utility>

namespace pygpu::kernels {
namespace {

using arrays::Buffer;

// The memory of one of PyGPU's arrays, and where the array begins; null for any other object.
Buffer *buffer_of(PyObject *object, char *&data) {
    if (arrays::is_array(object)) {
        data = arrays::array_of(object).data;
        return arrays::array_of(object).buffer;
    }
    if (Buffer *buffer = arrays::device_array_buffer(object, data)) return buffer;
    return arrays::device_memory_buffer(object, data);
}

// If only the size is known, an int is certain for one byte alone: no float has one byte.
bool takes_int(const Parameter &parameter) {
    const bool number = parameter.holds == Holds::integer || parameter.holds == Holds::pointer ||
                        parameter.holds == Holds::word;
    const std::size_t size = parameter.size;
    return size == 1 ? parameter.holds != Holds::bytes : number && (size == 2 || size == 4 || size == 8);
}

// A float of 2 bytes is not certain: it may be a float16 or a bfloat16.
bool takes_float(const Parameter &parameter) {
    return parameter.holds == Holds::real && (parameter.size == 4 || parameter.size == 8);
}

// The advice of the message: ways to give a bare number a type.
const char *types_of(const Parameter &parameter) {
    if (parameter.holds != Holds::anything) return "with numpy or ctypes";
    return parameter.size == 2   ? "by numpy.int16(...) or numpy.float16(...)"
           : parameter.size == 4 ? "by numpy.int32(...) or numpy.float32(...)"
           : parameter.size == 8
               ? "by numpy.int64(...), numpy.float64(...) or, for an address, numpy.uintp(...)"
               : "with numpy or ctypes";
}

bool uncertain(PyObject *object, const Parameter &parameter, const ArgumentContext &context) {
    PyErr_Format(PyExc_TypeError,
                 "%s is a bare %.80s, but the kernel takes %s of %zu bytes: give it a type %s",
                 context.text().c_str(), Py_TYPE(object)->tp_name, described(parameter.holds), parameter.size,
                 types_of(parameter));
    return false;
}

// What lies in one of PyGPU's arrays; unknown for memory alone.
Element element_in(PyObject *object) {
    if (arrays::is_array(object)) return element_of_dtype(arrays::array_of(object).dtype);
    const arrays::DType *dtype = arrays::device_array_dtype(object);
    return dtype ? dtype->element() : Element();
}

// The numbers that an integer or a pointer may be.
struct Limits {
    long long least;
    unsigned long long most;
};

Limits limits_of(const Parameter &parameter) {
    const unsigned bits = static_cast<unsigned>(parameter.size) * 8;
    const unsigned long long largest = ULLONG_MAX >> (64 - bits);
    if (parameter.holds == Holds::pointer) return {0, largest};
    switch (parameter.range) {
    case Range::is_signed:
        return {-static_cast<long long>(largest >> 1) - 1, largest >> 1};
    case Range::is_unsigned:
        return {0, largest};
    case Range::boolean:
        return {0, 1};
    case Range::any:
        break;
    }
    return {-static_cast<long long>(largest >> 1) - 1, largest};
}

// Whether a value of this type may go into the parameter. A parameter of bytes or a struct takes any value.
bool agrees(ScalarKind scalar, const Parameter &parameter) {
    const Holds holds = parameter.holds;
    if (holds == Holds::anything || holds == Holds::bytes) return true;
    switch (scalar) {
    case ScalarKind::integer: // 2 bytes may be the bits of a bfloat16, a type that numpy doesn't have
        return holds != Holds::real || parameter.size == 2;
    case ScalarKind::real:
        return holds == Holds::real;
    case ScalarKind::complex:
        return false;
    case ScalarKind::pointer:
        return holds == Holds::pointer || holds == Holds::word;
    case ScalarKind::handle: // a texture object is an integer
        return holds != Holds::real;
    case ScalarKind::unknown:
        break;
    }
    return true;
}

} // namespace

bool LaunchArguments::load(const char *call, std::span<PyObject *const> objects,
                           const std::vector<Parameter> *parameters, const ArgumentContext &context) {
    if (parameters && objects.size() != parameters->size()) {
        PyErr_Format(PyExc_TypeError, "%s takes %zu arguments, got %zu", call, parameters->size(),
                     objects.size());
        return false;
    }
    values_.reserve(objects.size());
    uses_.reserve(objects.size());
    for (std::size_t at = 0; at < objects.size(); ++at) {
        const FieldPath step{context.path, nullptr, static_cast<Py_ssize_t>(at)};
        if (!load_one(call, objects[at], parameters ? &(*parameters)[at] : nullptr, context.within(step)))
            return false;
    }
    return true;
}

bool LaunchArguments::load_one(const char *call, PyObject *object, const Parameter *parameter,
                               const ArgumentContext &context) {
    char *data = nullptr;
    if (parameter && (PyLong_Check(object) || PyFloat_CheckExact(object)))
        return load_bare(object, *parameter, context);
    ScalarKind scalar = ScalarKind::pointer;
    PyObject *lent = nullptr; // the array on memory that the object lends
    Buffer *const buffer = buffer_of(object, data);
    if (buffer) {
        if (!load_array(call, *buffer, data)) return false;
    } else if (!load_tensor(call, object, lent)) {
        return false;
    } else if (!lent) {
        const bool loaded = values_.load_value(object, context);
        if (!loaded && !load_lent(call, object, lent)) return false;
        if (loaded) scalar = values_.scalar();
        if (Reference stream = values_.take_producer()) {
            if (!load_stream(stream.get(), call, producers_.emplace_back())) return false;
            kept_.push_back(std::move(stream));
        }
    }
    const std::size_t size = values_.sizes().back();
    if (!parameter) return true;
    if (size == parameter->size && agrees(scalar, *parameter)) {
        if (!parameter->element) return true;
        const Element held = lent || buffer ? element_in(lent ? lent : object) : values_.element();
        return fits(parameter->element, held) || wrong_element(parameter->element, held, context);
    }
    PyErr_Format(PyExc_TypeError, "%s is a %.80s of %zu bytes, but the kernel takes %s of %zu",
                 context.text().c_str(), type_description(object), size, described(parameter->holds),
                 parameter->size);
    return false;
}

bool LaunchArguments::load_array(const char *call, Buffer &buffer, char *data) {
    if (!buffer.check_exists(call)) return false;
    uses_.add(buffer);
    values_.add_pointer(data);
    return true;
}

// For an object that raw launches don't take: tries whether it lends its memory by DLPack. If not, the
// exception of the raw launch stays.
bool LaunchArguments::load_lent(const char *call, PyObject *object, PyObject *&lent) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return false;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    const bool asked = !PyObject_HasAttrString(reinterpret_cast<PyObject *>(Py_TYPE(object)), "__dlpack__") ||
                       borrow(call, object, lent);
    if (asked && !lent) {
        PyErr_Restore(type, value, traceback);
        return false;
    }
    for (PyObject *one : {type, value, traceback}) Py_XDECREF(one);
    return asked;
}

// A tensor whose library has DLPack's C exchange API, as torch: it gives the stream of the library's work,
// which torch's array interface doesn't.
bool LaunchArguments::load_tensor(const char *call, PyObject *object, PyObject *&lent) {
    return layout_of_scalar(object) || !arrays::exchange_api_of(Py_TYPE(object)) ||
           borrow(call, object, lent);
}

// Borrows an object's memory for the launch. `lent` stays null if the memory is the host's, or if the object
// lends none.
bool LaunchArguments::borrow(const char *call, PyObject *object, PyObject *&lent) {
    Reference array;
    if (!arrays::load_shared(object, call, nullptr, array, true)) return false;
    lent = array.get();
    if (!lent) return true;
    char *data = nullptr;
    Buffer *buffer = buffer_of(lent, data);
    kept_.push_back(std::move(array));
    return load_array(call, *buffer, data);
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
    // A bool is an int in Python. It is accepted as a number only for a parameter of one byte.
    if (!takes_int(parameter) || (PyBool_Check(object) && parameter.size != 1))
        return uncertain(object, parameter, context);
    int overflow = 0;
    long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    unsigned long long large = value < 0 ? 0 : static_cast<unsigned long long>(value);
    if (overflow > 0) { // it may be in the upper half of the unsigned numbers
        large = PyLong_AsUnsignedLongLong(object);
        if (!PyErr_Occurred()) overflow = 0;
        PyErr_Clear();
        value = static_cast<long long>(large);
    }
    const auto [least, most] = limits_of(parameter);
    const bool negative = value < 0 && !large;
    if (overflow || large > most || (negative && value < least))
        return overflow_error(context, object, std::to_string(least).c_str(), std::to_string(most).c_str());
    values_.add_bytes(&value, parameter.size); // little-endian
    return true;
}

} // namespace pygpu::kernels
