// From an API's entries to the functions that PyGPU calls for itself, which have no API's types.
#pragma once

#include "runtime/entry.hpp"
#include "runtime/own_calls.hpp"

#include <tuple>
#include <type_traits>

namespace pygpu {

// An argument as C's function takes it: void * as a handle, int * as a pointer to an enum.
template <class Declared, class Argument> Declared declared(Argument argument) {
    if constexpr (std::is_pointer_v<Declared> && std::is_pointer_v<Argument>)
        return (Declared)argument;
    else
        return static_cast<Declared>(argument);
}

// Calls C's function. Parameters behind the last argument are optional outputs: they are null.
template <class Result, class... Declared, class... Arguments>
int call(const Entry<Result(Declared...)> &entry, Arguments... arguments) {
    if constexpr (sizeof...(Arguments) < sizeof...(Declared))
        return call(entry, arguments..., nullptr);
    else
        return static_cast<int>(entry(declared<Declared>(arguments)...));
}

// A function that calls an entry; null if the loaded library lacks it.
template <class Call> auto present(const AnyEntry &entry, Call call) {
    return entry.absence() ? nullptr : +call;
}

// What C's calling convention knows of a type: pointers and enums are all alike.
template <class T> auto plain_type() {
    if constexpr (std::is_pointer_v<T>)
        return static_cast<void *>(nullptr);
    else if constexpr (std::is_enum_v<T>)
        return std::make_signed_t<std::underlying_type_t<T>>{};
    else
        return T{};
}
template <class T> using Plain = decltype(plain_type<T>());

template <class Result, class... Declared>
std::tuple<Plain<Result>, Plain<Declared>...> plain_types(const Entry<Result(Declared...)> &);

// One that passes on its arguments, and then some fixed ones. If it takes what C's function takes, it is C's
// function itself: the guard of each of PyGPU's own calls makes several such calls.
template <auto &entries, auto member, auto... fixed> struct Own {
    template <class... Arguments> using Function = int (*)(Arguments...);

    template <class... Arguments> operator Function<Arguments...>() const {
        using Taken = std::tuple<int, Plain<Arguments>...>;
        if constexpr (std::is_same_v<decltype(plain_types(entries.*member)), Taken>)
            return reinterpret_cast<Function<Arguments...>>((entries.*member).address());
        else
            return present(entries.*member,
                           [](Arguments... given) { return call(entries.*member, given..., fixed...); });
    }
};

} // namespace pygpu
