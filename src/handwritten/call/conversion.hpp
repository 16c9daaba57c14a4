// Converters without their types: what the code that all calls share knows of an argument.
#pragma once

#include "binding/argument_context.hpp"
#include "binding/status_type.hpp"
#include "call/note.hpp"
#include "convert/converter.hpp"

#include <Python.h>

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

namespace pygpu {

// No converter and no result has a stricter alignment.
inline constexpr std::size_t converter_alignment = 128;

// The operations of one converter. An operation that would do nothing is null.
struct Conversion {
    std::size_t bytes;
    std::size_t alignment;
    // Makes the converter at `place`, which it also does if it returns false. An argument that was left out
    // is null: the converter then takes the default.
    bool (*load)(void *place, PyObject *argument, const ArgumentContext &context, long long fallback);
    // How much memory, or how many items, it holds. If it doesn't know, that is always enough.
    std::size_t (*size)(const void *converter);
    // Called after the call, whatever its status; then, if it succeeded, with the handle that C made, if any.
    void (*answered)(void *converter);
    void (*succeeded)(void *converter, const void *made);
    void (*end)(void *converter);
    void (*note)(trace::Items &items, const void *converter); // for a trace
    // Whether the operations above are there. g++ 12 with -fsanitize=undefined can't ask that of a pointer in
    // a constant expression.
    bool follows, ends;
};

template <class C>
inline bool load(void *place, PyObject *argument, const ArgumentContext &context,
                 [[maybe_unused]] long long fallback) {
    C &converter = *new (place) C;
    if (argument) [[likely]]
        return converter.load(argument, context);
    if constexpr (requires { converter.fallback(fallback); }) converter.fallback(fallback);
    return true;
}

template <class C> constexpr Conversion make_conversion() {
    static_assert(alignof(C) <= converter_alignment);
    Conversion made{sizeof(C), alignof(C), &load<C>, nullptr, nullptr,
                    nullptr,   nullptr,    nullptr,  false,   false};
    made.note = [](trace::Items &items, const void *one) {
        note_argument(items, *static_cast<const C *>(one));
    };
    if constexpr (requires(const C &one) { one.size(); })
        made.size = [](const void *one) { return static_cast<const C *>(one)->size(); };
    if constexpr (requires(C &one) { one.answered(); }) {
        made.answered = [](void *one) { static_cast<C *>(one)->answered(); };
        made.follows = true;
    }
    if constexpr (requires(C &one, const void *handle) { one.succeeded(handle); }) {
        made.succeeded = [](void *one, const void *handle) { static_cast<C *>(one)->succeeded(handle); };
        made.follows = true;
    } else if constexpr (requires(C &one) { one.succeeded(); }) {
        made.succeeded = [](void *one, const void *) { static_cast<C *>(one)->succeeded(); };
        made.follows = true;
    }
    if constexpr (!std::is_trivially_destructible_v<C>) {
        made.end = [](void *one) { std::destroy_at(static_cast<C *>(one)); };
        made.ends = true;
    }
    return made;
}

template <class C> inline constexpr Conversion conversion = make_conversion<C>();

// One argument of a function: its converter, and where that lies in the memory of a call.
struct Parameter {
    const Conversion *how;
    std::size_t offset = 0;
};

// All arguments of a function.
struct Parameters {
    std::span<const Parameter> each;
    std::size_t bytes;
    bool follow; // whether any converter has something to do after the call
    bool end;
};

template <std::size_t count> consteval std::array<Parameter, count> placed(std::array<Parameter, count> all) {
    std::size_t offset = 0;
    for (Parameter &one : all) {
        one.offset = (offset + one.how->alignment - 1) / one.how->alignment * one.how->alignment;
        offset = one.offset + one.how->bytes;
    }
    return all;
}

consteval Parameters summed(std::span<const Parameter> all) {
    Parameters sum{all, 0, false, false};
    for (const Parameter &one : all) {
        sum.bytes = one.offset + one.how->bytes;
        sum.follow = sum.follow || one.how->follows;
        sum.end = sum.end || one.how->ends;
    }
    return sum;
}

// Functions whose arguments have the same converters share these tables.
template <class... C>
inline constexpr std::array<Parameter, sizeof...(C)> placed_parameters =
    placed(std::array<Parameter, sizeof...(C)>{Parameter{&conversion<C>}...});
template <class... C> inline constexpr Parameters parameters = summed(placed_parameters<C...>);

// The converter of a type. Enumerators are converted as their numbers, so that they share its code.
template <class T> struct HeldBy {
    using type = Converter<T>;
};
template <class T>
    requires(std::is_enum_v<T> && !is_status<T>)
struct HeldBy<T> {
    using type = Converter<std::underlying_type_t<T>>;
};
template <class T> using Held = typename HeldBy<T>::type;

} // namespace pygpu
