// Outputs that are more than one value: arrays, values that outlive a failure, counts.
#pragma once

// Every to_python of a single value stands before the templates that call it.
#include "convert/memory.hpp"
#include "convert/scalars.hpp"
#include "convert/text.hpp"
#include "python/reference.hpp"
#include "runtime/api.hpp"
#include "types/enums/enum_class.hpp"
#include "types/handles/handle_class.hpp"
#include "types/structs/converters.hpp"

#include <algorithm>
#include <cerrno>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <new>
#include <optional>
#include <utility>
#include <vector>

namespace pygpu {

template <class T> PyObject *to_python(const std::vector<T> &items) {
    Reference list(PyList_New(static_cast<Py_ssize_t>(items.size())));
    if (!list) return nullptr;
    for (std::size_t at = 0; at < items.size(); ++at) {
        PyObject *item = to_python(items[at]);
        if (!item) return nullptr;
        PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(at), item);
    }
    return list.release();
}

// A tuple of values. There are hundreds of such types, and a std::tuple would take ten times as long to
// compile.
template <std::size_t At, class T> struct Part {
    T value;
};
template <class Indices, class... Each> struct Parts;
template <std::size_t... At, class... Each>
struct Parts<std::index_sequence<At...>, Each...> : Part<At, Each>... {
    Parts(Each... each) : Part<At, Each>{std::move(each)}... {}

    template <std::size_t One> auto &get() { return part<One>(*this); } // for structured bindings
    template <std::size_t One> auto &get() const { return part<One>(*this); }
};
template <std::size_t At, class T> T &part(Part<At, T> &one) { return one.value; }
template <std::size_t At, class T> const T &part(const Part<At, T> &one) { return one.value; }

// What a function gives: its outputs, then the status.
template <class... Each> struct Outputs : Parts<std::index_sequence_for<Each...>, Each...> {
    using Parts<std::index_sequence_for<Each...>, Each...>::Parts;
};

// What a function without a status gives: its own value, if any, then its outputs.
template <class... Each> struct Values : Parts<std::index_sequence_for<Each...>, Each...> {
    using Parts<std::index_sequence_for<Each...>, Each...>::Parts;
};

// A count that the caller may leave out; the wrapper then queries it.
template <class T> struct Count {
    T value{};
    bool is_set = false;
};

template <class T> struct Converter<Count<T>> {
    Converter<T> number;
    bool is_set = true;

    bool load(PyObject *object, const ArgumentContext &context) {
        if (object == Py_None) return !(is_set = false);
        return number.load(object, context);
    }
    // -1 means that the wrapper queries the count. Any other value is the capacity to use if the caller gives
    // none.
    void fallback(long long value) {
        is_set = value != -1;
        number.fallback(is_set ? value : 0);
    }
    Count<T> value() const { return {number.value(), is_set}; }
};

// A parameter that may be NULL.
template <class T> struct Converter<std::optional<T>> {
    Converter<T> inner;
    bool is_set = false;

    bool load(PyObject *object, const ArgumentContext &context) {
        is_set = object != Py_None;
        return !is_set || inner.load(object, context);
    }
    std::optional<T> value() const { return is_set ? std::optional<T>(inner.value()) : std::nullopt; }
};

template <class T> PyObject *to_python(const std::optional<T> &value) {
    if (!value) Py_RETURN_NONE;
    return to_python(*value);
}

// An output that is valid after certain failures, too.
template <class T> struct ValidOnError {
    std::optional<T> value;

    ValidOnError() = default;
    explicit ValidOnError(T valid) : value(std::move(valid)) {}
};

template <class Status, class T>
ValidOnError<T> valid_on(Status status, std::initializer_list<int> codes, T value) {
    const int code = static_cast<int>(status);
    return code == 0 || std::ranges::count(codes, code) ? ValidOnError<T>(std::move(value))
                                                        : ValidOnError<T>();
}

// Valid after every call that reached C.
template <class Status, class T> ValidOnError<T> always_valid(const Api &api, Status status, T value) {
    const int code = static_cast<int>(status);
    const bool reached = code != api.statuses.no_symbol && code != api.statuses.no_library;
    return reached ? ValidOnError<T>(std::move(value)) : ValidOnError<T>();
}

// Valid after success, if the loaded release returns it.
template <class Status, class T>
ValidOnError<T> valid_since(const Api &api, int release, Status status, T value) {
    const bool valid = api.statuses.succeeded(static_cast<int>(status)) && api.release_number >= release;
    return valid ? ValidOnError<T>(std::move(value)) : ValidOnError<T>();
}

template <class T> PyObject *to_python(const ValidOnError<T> &output) { return to_python(output.value); }

// The status of a call that returns a count, or below 0 a failure: -1 leaves the code in errno, and any other
// number is the code with its sign turned.
template <class Status, std::signed_integral N> Status count_status(N returned) {
    if (returned >= 0) return Status{};
    const auto code = returned == -1 ? errno : -returned;
    return static_cast<Status>(code ? code : EIO);
}

inline constexpr std::size_t most_output_bytes = std::size_t{1} << 30;

// Zeros for an array that C writes. An absurd count throws std::bad_alloc before any memory is touched.
template <class T, std::integral N> std::vector<T> zeroed(N count) {
    if (std::cmp_less(count, 0)) return {};
    if (std::cmp_greater(count, most_output_bytes / sizeof(T))) throw std::bad_alloc();
    return std::vector<T>(static_cast<std::size_t>(count));
}

template <class T, std::integral N> void cut(std::vector<T> &items, N count) {
    if (std::cmp_less(count, items.size()))
        items.resize(std::cmp_less(count, 0) ? 0 : static_cast<std::size_t>(count));
}

// A copy of an array that the driver lends.
template <class T, std::integral N> std::vector<T> copied(const T *lent, N count) {
    std::vector<T> items = zeroed<T>(lent ? count : 0);
    std::copy_n(lent, items.size(), items.begin());
    return items;
}

} // namespace pygpu

template <class... Each>
struct std::tuple_size<pygpu::Outputs<Each...>> : std::integral_constant<std::size_t, sizeof...(Each)> {};
template <std::size_t At, class... Each> struct std::tuple_element<At, pygpu::Outputs<Each...>> {
    using type =
        std::remove_reference_t<decltype(std::declval<pygpu::Outputs<Each...> &>().template get<At>())>;
};
