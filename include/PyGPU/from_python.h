// Python's arrays as spans, for bindings with Python's C API. pybind11.h and nanobind.h are built on it.
//
//     pygpu::argument<pygpu::device_span<const float, pygpu::ndim<1>>> x;
//     if (!x.load(object, "norm(): parameter 'x'")) return nullptr; // TypeError
//     norm(x.value());                                              // valid while `x` lives
//
// Needs the GIL. Accepts objects with __dlpack__ (GPUArray, DeviceArray, torch, CuPy, numpy, ...) or the CUDA
// Array Interface, and a pointer_wrapper that knows how many items it points to. Never copies elements.
#pragma once

#include "PyGPU/detail/tensor.h"
#include "PyGPU/device_span.h"
#include "PyGPU/ptr_wrapper.h"

#include <Python.h>

#include <string>
#include <type_traits>

namespace pygpu {
namespace detail {

inline std::string name_of(dtype type) {
    const std::string word = word_of(type);
    return type.code == static_cast<std::uint8_t>(kind::boolean) ? word : word + std::to_string(type.bits);
}

// Why an array doesn't fit this T; empty if it fits.
template <class T> std::string misfit(const tensor &array) {
    if (array.type != dtype_v<T>)
        return "its elements are " + name_of(array.type) + ", " + name_of(dtype_v<T>) + " is needed";
    if (!std::is_const_v<T> && array.readonly) return "it is read-only, and would be written";
    if (!std::is_const_v<T> && array.copied) return "its library gives a copy, where writing is lost";
    return {};
}

template <int Axes> std::string unmet(const tensor &array, ndim<Axes>) {
    if (array.layout.axes == Axes) return {};
    return "it has " + std::to_string(array.layout.axes) + " axes, " + std::to_string(Axes) + " needed";
}
inline std::string unmet(const tensor &array, c_contig) {
    return array.layout.is_run(true) ? "" : "its elements are not one run in C order";
}
inline std::string unmet(const tensor &array, f_contig) {
    return array.layout.is_run(false) ? "" : "its elements are not one run in F order";
}
inline std::string unmet(const tensor &array, on_gpu) {
    return array.layout.device.gpu_reaches() ? "" : "it is memory of the host";
}
inline std::string unmet(const tensor &array, on_host) {
    return array.layout.device.host_reaches() ? "" : "it is a device's memory";
}

template <class Parameter> struct reading;

template <class T, class... Wanted> struct reading<device_span<T, Wanted...>> {
    using value_type = device_span<T, Wanted...>;

    static std::string refused(const tensor &array) {
        std::string why = misfit<T>(array);
        if (why.empty() && !array.counted)
            why = "it is an address that doesn't tell how many items are there";
        (void)(... && (why.empty() ? (why = unmet(array, Wanted{}), true) : false));
        return why;
    }
    static value_type value(const tensor &array) { return device_span<T>(array.layout); }
};

template <class T> struct reading<ptr_wrapper<T>> {
    using value_type = ptr_wrapper<T>;

    static std::string refused(const tensor &array) {
        std::string why = misfit<T>(array);
        return why.empty() && array.counted ? unmet(array, c_contig{}) : why;
    }
    static value_type value(const tensor &array) {
        return {static_cast<T *>(array.layout.data), array.layout.device.type == device::cpu || array.safe};
    }
};

} // namespace detail

// A parameter of a bound function: reads an object, and keeps the memory of the value alive.
template <class Parameter> class argument {
public:
    argument() = default;
    argument(argument &&) = default;
    argument &operator=(argument &&other) noexcept {
        value_ = other.value_;
        std::swap(owner_, other.owner_);
        return *this;
    }
    ~argument() { end_owner(); }

    enum class outcome { taken, refused, raised };

    // Makes no message: an object that doesn't fit is `refused`, with no exception set. `raised` leaves the
    // exception set that the array's own library raised: a GPUError, or a ValueError for memory that was
    // freed.
    outcome try_load(PyObject *object) {
        std::string why;
        if (read(object, why)) return outcome::taken;
        if (!PyErr_Occurred()) return outcome::refused;
        if (!PyErr_ExceptionMatches(PyExc_BufferError) && !PyErr_ExceptionMatches(PyExc_TypeError))
            return outcome::raised;
        PyErr_Clear();
        return outcome::refused;
    }

    // False with an exception set, TypeError mostly; `what` begins its message.
    bool load(PyObject *object, const char *what) {
        std::string why;
        if (read(object, why)) return true;
        if (!PyErr_Occurred()) {
            PyErr_Format(PyExc_TypeError, "%s: %.80s can't be taken: %s", what, Py_TYPE(object)->tp_name,
                         why.c_str());
        } else if (PyErr_ExceptionMatches(PyExc_BufferError) || PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyObject *type, *value, *traceback;
            PyErr_Fetch(&type, &value, &traceback);
            const detail::reference ended[] = {detail::reference(type), detail::reference(value),
                                               detail::reference(traceback)};
            PyErr_Format(PyExc_TypeError, "%s: %.80s can't be taken: %S", what, Py_TYPE(object)->tp_name,
                         value ? value : Py_None);
        }
        return false;
    }

    const Parameter &value() const { return value_; }
    Parameter &value() { return value_; }

private:
    bool read(PyObject *object, std::string &why) {
        detail::tensor array;
        const detail::result outcome = detail::read_any(object, array);
        if (outcome == detail::result::no)
            why = "it has neither __dlpack__ nor __cuda_array_interface__";
        else if (outcome == detail::result::done)
            why = detail::reading<Parameter>::refused(array);
        const bool taken = outcome == detail::result::done && why.empty();
        if (taken) value_ = detail::reading<Parameter>::value(array);
        end_owner();
        if (taken) owner_ = std::move(array.owner);
        const detail::exception_aside aside; // an owner that isn't kept is released below
        array.owner = {};
        return taken;
    }

    void end_owner() {
        if (!owner_) return;
        const detail::exception_aside aside;
        owner_ = {};
    }

    Parameter value_;
    detail::reference owner_;
};

} // namespace pygpu
