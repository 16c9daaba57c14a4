// Functions that every program may call without defining them: vprintf, __assertfail, malloc, free.
#pragma once

#include <cstddef>
#include <string_view>

namespace pygpu::host::ptx {

struct Builtin {
    enum BuiltinKind : char { print, fail_assertion, allocate, release, set_condition };
    BuiltinKind kind;
    std::string_view name;
    std::size_t parameters, results;
};

inline constexpr Builtin builtins[] = {{Builtin::print, "vprintf", 2, 1},
                                       {Builtin::fail_assertion, "__assertfail", 5, 0},
                                       {Builtin::allocate, "malloc", 1, 1},
                                       {Builtin::release, "free", 1, 0},
                                       {Builtin::set_condition, "cudaGraphSetConditional", 2, 0}};

// Null for what is none of them.
constexpr const Builtin *builtin_named(std::string_view name) {
    for (const Builtin &one : builtins) {
        if (one.name == name) return &one;
    }
    return nullptr;
}

} // namespace pygpu::host::ptx
