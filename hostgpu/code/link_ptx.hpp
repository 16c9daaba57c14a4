// Linking PTX with PTX: several texts become one.
#pragma once

#include "common/ptx/lexer.hpp"

#include <span>
#include <string>
#include <string_view>

namespace pygpu::host {

// A text of PTX, and what messages call it.
struct PtxPart {
    std::string text;
    std::string name;
};

// Whether code is PTX, whatever its caller says that it is: text up to a NUL or the end, with a .version.
inline bool is_ptx(std::string_view data) {
    const std::size_t version = data.find(".version");
    return version != data.npos && version < data.find('\0');
}

// Archives, such as libcudadevrt.a, hold machine code and are left out. A function of one that isn't built in
// is missed when the link is complete.
inline bool is_archive(std::string_view data) { return data.starts_with("!<arch>\n"); }

// The PTX of libcudadevrt, which calls the driver by these names. Its functions are built in where they are
// implemented.
inline bool is_device_runtime(std::string_view text) {
    return text.find("__cuda_syscall_cnpv2") != text.npos;
}

// The text of such code.
inline std::string ptx_text(std::string_view data) { return std::string(data.substr(0, data.find('\0'))); }

// One text with the functions and variables of all. What only its own text knows gets another name where two
// texts use one. A weak or common definition gives way to a strong one; of common ones the largest stays, of
// weak ones the first. Throws ptx::Problem, with the names of the parts, where two define the same, and where
// one uses what none defines.
std::string link_ptx(std::span<const PtxPart> parts);

} // namespace pygpu::host
