// The C++ library's demangler.
#include "ptx/read/demangle.hpp"

#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace pygpu::host::ptx {

std::string demangled(std::string_view name) {
    std::string given(name);
    if (!given.starts_with("_Z")) return given; // __cxa_demangle takes "f" for a type, float
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(given.c_str(), nullptr, nullptr, &status), std::free);
    return text ? text.get() : given;
}

} // namespace pygpu::host::ptx
