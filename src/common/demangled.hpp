// Demangling C++ names.
#pragma once

#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <string>
#include <string_view>

namespace pygpu {

// "k(int)::tile" for "_ZZ1kiE4tile"; a name that isn't mangled stays.
inline std::string demangled(std::string_view name) {
    std::string text(name);
    if (!text.starts_with("_Z")) return text; // __cxa_demangle takes "f" for a type, float
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> source(
        abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status), std::free);
    return source ? source.get() : text;
}

} // namespace pygpu
