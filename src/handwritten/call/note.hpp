// Notes the values of arguments and results in the record of a traced call.
#pragma once

#include "binding/status_type.hpp"
#include "convert/text.hpp"
#include "trace/items.hpp"
#include "types/results.hpp"
#include "types/structs/converters.hpp"

#include <cstddef>
#include <optional>
#include <type_traits>
#include <vector>

namespace pygpu {

template <class T> inline constexpr bool is_optional = false;
template <class T> inline constexpr bool is_optional<std::optional<T>> = true;
template <class T> inline constexpr bool is_optional<ValidOnError<T>> = true;
template <class T> inline constexpr bool is_vector = false;
template <class T> inline constexpr bool is_vector<std::vector<T>> = true;
template <class T> inline constexpr bool is_received = false;
template <class T> inline constexpr bool is_received<Received<T>> = true;

// What note() can read. Other values are shown as unknown, and are not even asked for.
template <class V>
concept Simple =
    std::is_arithmetic_v<V> || std::is_enum_v<V> || CStruct<V> || is_optional<V> || std::is_same_v<V, Text> ||
    std::is_convertible_v<const V &, const void *> || requires(const V &value) { value.number; } ||
    requires(const V &value) { value.is_set, value.value; } || requires(const V &value) { value.held; } ||
    requires(const V &value) { value.handle; };

template <class V> void note(trace::Items &items, const V &value) {
    if constexpr (std::is_enum_v<V>) {
        note(items, static_cast<std::underlying_type_t<V>>(value));
    } else if constexpr (std::is_floating_point_v<V>) {
        items.add_real(static_cast<double>(value));
    } else if constexpr (std::is_integral_v<V>) {
        if constexpr (std::is_signed_v<V>)
            items.add_signed(value);
        else
            items.add_unsigned(value);
    } else if constexpr (std::is_same_v<V, Text>) {
        items.add_text(value.data);
    } else if constexpr (CStruct<V>) {
        items.add_struct(&value, sizeof value);
    } else if constexpr (is_received<V>) {
        items.add_struct(value.bytes(), sizeof(*V().memory()));
    } else if constexpr (is_optional<V>) {
        if constexpr (requires { value.has_value(); })
            value ? note(items, *value) : items.add_none();
        else
            note(items, value.value);
    } else if constexpr (is_vector<V>) {
        items.add_count(value.size());
    } else if constexpr (requires { value.held; }) { // one number behind a pointer
        value.held ? note(items, *value.held) : items.add_address(value.address);
    } else if constexpr (requires { value.is_set, value.value; }) { // a count that may be left out
        value.is_set ? note(items, value.value) : items.add_none();
    } else if constexpr (requires { value.number; }) {
        note(items, value.number);
    } else if constexpr (requires { value.handle; }) { // that the call destroys
        note(items, value.handle);
    } else if constexpr (requires { items.add_text(value.text()); }) {
        items.add_text(value.text());
    } else if constexpr (std::is_convertible_v<const V &, const void *>) {
        items.add_address(value);
    } else {
        items.add_unknown();
    }
}

// The argument that a converter holds.
template <class C> void note_argument(trace::Items &items, const C &converter) {
    if constexpr (requires(typename C::Struct *) { converter.argument.is_struct(); }) {
        if (converter.argument.is_struct())
            return items.add_struct(converter.argument.pointer(), struct_class<typename C::Struct>().size());
    }
    if constexpr (requires { converter.value(); }) {
        if constexpr (Simple<decltype(converter.value())>) return note(items, converter.value());
    }
    items.add_unknown();
}

} // namespace pygpu
