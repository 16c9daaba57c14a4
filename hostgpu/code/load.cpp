// Following a program's wrapper to its fat binary, and reading the code.
#include "code/load.hpp"

#include "base/mapped.hpp"
#include "common/bytes.hpp"

#include <cstdint>

namespace pygpu::host {
namespace {

constexpr std::uint32_t fat_wrapper = 0x466243b1;

// How a program points to its fat binary.
struct Wrapper {
    std::uint32_t magic, version;
    const void *data;
};

} // namespace

ReadCode load_code(const void *image, Code &code) {
    const std::string_view all = readable_at(image);
    Wrapper wrapper{};
    // Code may be as short as its magic number.
    const bool wrapped =
        read_at(all, 0, wrapper.magic) && wrapper.magic == fat_wrapper && read_at(all, 0, wrapper);
    return read_code(wrapped ? readable_at(wrapper.data) : all, code);
}

} // namespace pygpu::host
