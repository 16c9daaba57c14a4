// From an API's entries to the functions that PyGPU calls for itself, which have no API's types.
#pragma once

#include "runtime/entry.hpp"
#include "runtime/own_calls.hpp"

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

// One that passes on its arguments, and then some fixed ones.
template <auto &entries, auto member, auto... fixed> struct Own {
    template <class... Arguments> using Function = int (*)(Arguments...);

    template <class... Arguments> operator Function<Arguments...>() const {
        return present(entries.*member,
                       [](Arguments... given) { return call(entries.*member, given..., fixed...); });
    }
};

} // namespace pygpu
