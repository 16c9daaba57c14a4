// Recognising the kind of an image, and reading it.
#include "code/code.hpp"

#include "common/elf.hpp"
#include "common/fatbin.hpp"

#include <algorithm>
#include <cstdint>

namespace pygpu::host {
namespace {

bool is_text(char one) {
    const auto code = static_cast<unsigned char>(one);
    return code >= ' ' || code == '\t' || code == '\n' || code == '\r' || code == '\f' || code == '\v';
}

} // namespace

ReadCode read_code(std::string_view image, Code &code) {
    constexpr auto invalid = ReadCode::Result::invalid_image;
    std::uint32_t magic = 0;
    read_at(image, 0, magic);
    if (is_elf(image)) return read_elf(image, code);
    if (magic == fatbin_magic) return read_fatbin(image, code);
    const auto end = std::ranges::find_if_not(image, is_text);
    const bool whole = end == image.end() || *end == '\0';
    const std::string_view text = image.substr(0, static_cast<std::size_t>(end - image.begin()));
    if (!whole || text.find(".version") == text.npos)
        return {invalid, "it is neither PTX nor a cubin, a fat binary or a code object of AMD's"};
    return read_ptx(text, code);
}

} // namespace pygpu::host
