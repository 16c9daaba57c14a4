// Following a program's wrapper to its fat binaries, and reading the code.
#include "code/load.hpp"

#include "base/mapped.hpp"
#include "code/link_ptx.hpp"
#include "common/bytes.hpp"

#include <cstdint>
#include <vector>

namespace pygpu::host {
namespace {

constexpr std::uint32_t fat_wrapper = 0x466243b1;

// How a program points to its fat binary. A program of -rdc=true (version 2) also has a list of the fat
// binaries that nvcc has linked, with a null at its end: they hold the PTX, and the linked one machine code
// alone. NVIDIA's fatbinary_section.h and crt/link.stub, which nvcc compiles into programs, say so.
struct Wrapper {
    std::uint32_t magic, version;
    const void *data;
    const void *const *parts;
};
constexpr std::uint32_t with_parts = 2;

// Links the PTX of the parts; `linked` stays empty where one has only machine code.
ReadCode link_parts(const void *const *parts, std::string &linked) {
    std::vector<PtxPart> texts;
    for (std::size_t number = 1; const void *part = *parts; ++parts, ++number) {
        PtxPart text{{}, "part " + std::to_string(number) + " of the program"};
        bool holds_ptx = false;
        ReadCode outcome = unpack_fatbin(readable_at(part), text.text, holds_ptx);
        if (outcome.result != ReadCode::Result::done) return outcome;
        if (!holds_ptx) return {};
        if (!is_device_runtime(text.text)) texts.push_back(std::move(text));
    }
    try {
        linked = link_ptx(texts);
    } catch (const ptx::Problem &problem) {
        return {ReadCode::Result::invalid_ptx, problem.what};
    }
    return {};
}

} // namespace

ReadCode load_code(const void *image, Code &code) {
    const std::string_view all = readable_at(image);
    Wrapper wrapper{};
    // Code may be as short as its magic number.
    const bool wrapped =
        read_at(all, 0, wrapper.magic) && wrapper.magic == fat_wrapper && read_at(all, 0, wrapper);
    if (wrapped && wrapper.version == with_parts && wrapper.parts && *wrapper.parts) {
        std::string linked;
        ReadCode outcome = link_parts(wrapper.parts, linked);
        if (outcome.result != ReadCode::Result::done) return outcome;
        if (!linked.empty()) return read_ptx(linked, code);
    }
    return read_code(wrapped ? readable_at(wrapper.data) : all, code);
}

} // namespace pygpu::host
