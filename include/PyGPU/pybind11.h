// pybind11's casters of device_span<T>, ptr_wrapper<T> and device_array<T>. For any pybind11 from 2.8 on.
//
// If an array doesn't fit, pybind11 tries the next overload, and raises its TypeError in the end. An
// exception of the array's own library (a GPUError, a ValueError for freed memory) goes on as it is.
#pragma once

#include "PyGPU/detail/signature.h"
#include "PyGPU/from_python.h"
#include "PyGPU/to_python.h"

#include <pybind11/pybind11.h>

namespace pygpu::detail {

template <class Parameter> class pybind11_argument {
public:
    static constexpr auto name = pybind11::detail::const_name(signature<Parameter>::value.chars);
    template <class As> using cast_op_type = pybind11::detail::cast_op_type<As>;

    bool load(pybind11::handle source, bool) {
        using outcome = typename argument<Parameter>::outcome;
        const outcome loaded = argument_.try_load(source.ptr());
        if (loaded == outcome::raised) throw pybind11::error_already_set();
        return loaded == outcome::taken;
    }

    operator Parameter *() { return &argument_.value(); }
    operator Parameter &() { return argument_.value(); }

private:
    argument<Parameter> argument_;
};

inline pybind11::handle or_throw(PyObject *object) {
    if (!object) throw pybind11::error_already_set();
    return object;
}

} // namespace pygpu::detail

namespace pybind11::detail {

template <class T, class... Wanted>
class type_caster<pygpu::device_span<T, Wanted...>>
    : public pygpu::detail::pybind11_argument<pygpu::device_span<T, Wanted...>> {
public:
    template <class Span> static handle cast(Span &&, return_value_policy, handle) {
        static_assert(!sizeof(Span), "a span owns nothing: return a pygpu::device_array<T>");
        return {};
    }
};

template <class T>
class type_caster<pygpu::ptr_wrapper<T>> : public pygpu::detail::pybind11_argument<pygpu::ptr_wrapper<T>> {
public:
    static handle cast(pygpu::ptr_wrapper<T> pointer, return_value_policy, handle) {
        return pygpu::detail::or_throw(pygpu::to_python(pointer));
    }
};

template <class T> class type_caster<pygpu::device_array<T>> {
public:
    static constexpr auto name = const_name("PyGPU.GPUArray");

    static handle cast(pygpu::device_array<T> &&array, return_value_policy, handle) {
        return pygpu::detail::or_throw(pygpu::to_python(std::move(array)));
    }
};

} // namespace pybind11::detail
