// From a vendor's types to those that both APIs share: enumerations become ints, what has a counterpart
// becomes that, all else stays as it is.
#pragma once

#include "host/api/types.hpp"

#include <type_traits>

namespace pygpu::host {

template <class Theirs> struct Counterpart {
    using type = Theirs;
};
template <class Enum>
    requires std::is_enum_v<Enum>
struct Counterpart<Enum> {
    using type = int;
};
template <class Theirs> struct Counterpart<const Theirs> {
    using type = const typename Counterpart<Theirs>::type;
};
template <class Theirs> struct Counterpart<Theirs *> {
    using type = typename Counterpart<Theirs>::type *;
};

// Says which of our types stands for a vendor's; handles' objects are never completed.
#define PYGPU_COUNTERPART(Theirs, Ours)                                                                      \
    template <> struct Counterpart<Theirs> {                                                                 \
        using type = Ours;                                                                                   \
    };

// Of a struct, also that both are laid out alike, as far as sizes tell.
#define PYGPU_SAME_STRUCT(Theirs, Ours)                                                                      \
    static_assert(sizeof(Theirs) == sizeof(Ours) && alignof(Theirs) == alignof(Ours));                       \
    PYGPU_COUNTERPART(Theirs, Ours)

template <class Theirs> auto translated(Theirs value) {
    using Ours = typename Counterpart<Theirs>::type;
    if constexpr (std::is_same_v<Ours, Theirs>)
        return value;
    else if constexpr (std::is_pointer_v<Theirs>)
        return reinterpret_cast<Ours>(value);
    else if constexpr (std::is_enum_v<Theirs>)
        return static_cast<int>(value);
    else
        return __builtin_bit_cast(Ours, value);
}

} // namespace pygpu::host
