// Converts a vendor's types to the shared ones: enumerations become ints, types with a counterpart become the
// counterpart, all others stay as they are.
#pragma once

#include "base/types.hpp"

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

// Names our counterpart of a vendor's type. The types that handles point to are never completed.
#define PYGPU_COUNTERPART(Theirs, Ours)                                                                      \
    template <> struct Counterpart<Theirs> {                                                                 \
        using type = Ours;                                                                                   \
    };

// The same for a struct, with a check that size and alignment are equal.
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
