// Functions that every program may call without defining them: vprintf, __assertfail, malloc, free, and those
// of the device runtime that queue work.
#pragma once

#include <cstddef>
#include <string_view>

namespace pygpu::host::ptx {

struct Builtin {
    enum BuiltinKind : char {
        print,
        fail_assertion,
        allocate,
        release,
        set_condition,
        parameter_buffer,
        launch_grid,
        copy_bytes,
        set_bytes,
        last_error,
        peek_error
    };
    BuiltinKind kind;
    std::string_view name;
    std::size_t parameters, results;
};

inline constexpr Builtin builtins[] = {{Builtin::print, "vprintf", 2, 1},
                                       {Builtin::fail_assertion, "__assertfail", 5, 0},
                                       {Builtin::allocate, "malloc", 1, 1},
                                       {Builtin::release, "free", 1, 0},
                                       {Builtin::set_condition, "cudaGraphSetConditional", 2, 0},
                                       {Builtin::parameter_buffer, "__cudaCDP2GetParameterBufferV2", 4, 1},
                                       {Builtin::launch_grid, "__cudaCDP2LaunchDeviceV2", 2, 1},
                                       {Builtin::copy_bytes, "__cudaCDP2MemcpyAsync", 5, 1},
                                       {Builtin::set_bytes, "__cudaCDP2MemsetAsync", 4, 1},
                                       {Builtin::last_error, "__cudaCDP2GetLastError", 0, 1},
                                       {Builtin::peek_error, "__cudaCDP2PeekAtLastError", 0, 1}};

// Null for what is none of them.
constexpr const Builtin *builtin_named(std::string_view name) {
    for (const Builtin &one : builtins) {
        if (one.name == name) return &one;
    }
    return nullptr;
}

} // namespace pygpu::host::ptx
