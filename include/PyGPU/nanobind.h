// nanobind's casters of device_span<T>, ptr_wrapper<T> and device_array<T>. For any nanobind from 2.0 on.
//
// If an array doesn't fit, nanobind tries the next overload, and raises its TypeError in the end. An
// exception of the array's own library (a GPUError, a ValueError for freed memory) goes on as it is.
#pragma once

#include "PyGPU/detail/signature.h"
#include "PyGPU/from_python.h"
#include "PyGPU/to_python.h"

#include <nanobind/nanobind.h>

namespace pygpu::detail {

template <class Parameter> class nanobind_argument {
public:
    using Value = Parameter;
    static constexpr auto Name = nanobind::detail::const_name(signature<Parameter>::value.chars);
    template <class As> using Cast = nanobind::detail::movable_cast_t<As>;
    template <class As> static constexpr bool can_cast() { return true; }

    bool from_python(nanobind::handle source, std::uint8_t, nanobind::detail::cleanup_list *) noexcept {
        using outcome = typename argument<Parameter>::outcome;
        const outcome loaded = argument_.try_load(source.ptr());
        if (loaded == outcome::raised) raised_.put_aside();
        return loaded != outcome::refused;
    }

    explicit operator Value *() { return &checked(); }
    explicit operator Value &() { return checked(); }
    explicit operator Value &&() { return static_cast<Value &&>(checked()); }

private:
    // Keeps an exception until the conversion to the parameter, because from_python() can't throw.
    struct kept_exception {
        reference type, value, traceback;

        void put_aside() {
            PyObject *what, *with, *where;
            PyErr_Fetch(&what, &with, &where);
            type = reference(what);
            value = reference(with);
            traceback = reference(where);
        }
        void raise() {
            PyErr_Restore(type.release(), value.release(), traceback.release());
            throw nanobind::python_error();
        }
    };

    Value &checked() {
        if (raised_.type) raised_.raise();
        return argument_.value();
    }

    argument<Parameter> argument_;
    kept_exception raised_;
};

} // namespace pygpu::detail

namespace nanobind::detail {

template <class T, class... Wanted>
struct type_caster<pygpu::device_span<T, Wanted...>>
    : pygpu::detail::nanobind_argument<pygpu::device_span<T, Wanted...>> {
    template <class Span> static handle from_cpp(Span &&, rv_policy, cleanup_list *) noexcept {
        static_assert(!sizeof(Span), "a span owns nothing: return a pygpu::device_array<T>");
        return {};
    }
};

template <class T>
struct type_caster<pygpu::ptr_wrapper<T>> : pygpu::detail::nanobind_argument<pygpu::ptr_wrapper<T>> {
    static handle from_cpp(pygpu::ptr_wrapper<T> pointer, rv_policy, cleanup_list *) noexcept {
        return pygpu::to_python(pointer);
    }
};

template <class T> struct type_caster<pygpu::device_array<T>> {
    using Value = pygpu::device_array<T>;
    static constexpr auto Name = const_name("PyGPU.GPUArray");
    template <class As> using Cast = movable_cast_t<As>;

    static handle from_cpp(Value &&array, rv_policy, cleanup_list *) noexcept {
        return pygpu::to_python(std::move(array));
    }
};

} // namespace nanobind::detail
