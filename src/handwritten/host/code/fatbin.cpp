// Fat binaries: a header, then images of several kinds and architectures one after another. NVIDIA doesn't
// describe them; these fields are those that programs which read them agree on.
#include "host/code/code.hpp"

#include "host/code/bytes.hpp"

#include <cstdint>

namespace pygpu::host {
namespace {

struct Header {
    std::uint32_t magic;
    std::uint16_t version, size;
    std::uint64_t bytes; // of all that follows
};

struct Entry {
    std::uint16_t kind, version;
    std::uint32_t header; // its own size
    std::uint64_t bytes;
    std::uint32_t compressed, unused;
    std::uint16_t minor, major;
    std::uint32_t architecture, name, name_size;
    std::uint64_t flags;
};

static_assert(sizeof(Header) == 16 && sizeof(Entry) == 48);

constexpr std::uint16_t ptx = 1, elf = 2;
constexpr std::uint64_t is_compressed = 0x2000 | 0x8000; // by LZ4, by Zstandard

} // namespace

// PTX comes first, since it tells the types of parameters, too.
ReadCode read_fatbin(std::string_view image, Code &code) {
    constexpr auto invalid = ReadCode::Result::invalid_image;
    Header header{};
    std::string_view all;
    if (!read_at(image, 0, header) || !part_of(image, header.size, header.bytes, all))
        return {invalid, "the fat binary's header says that it is longer"};
    std::string_view found[3];
    bool compressed = false;
    while (!all.empty()) {
        Entry entry{};
        std::string_view part;
        if (!read_at(all, 0, entry) || entry.header < sizeof entry ||
            !part_of(all, entry.header, entry.bytes, part))
            return {invalid, "an image in the fat binary is longer than that"};
        all.remove_prefix(entry.header + part.size());
        if (entry.kind != ptx && entry.kind != elf) continue;
        if (entry.flags & is_compressed)
            compressed = true;
        else if (found[entry.kind].empty())
            found[entry.kind] = part;
    }
    if (const std::string_view text = found[ptx]; !text.empty())
        return read_ptx(text.substr(0, text.find('\0')), code);
    if (!found[elf].empty()) return read_elf(found[elf], code);
    if (!compressed) return {invalid, "the fat binary holds neither PTX nor a cubin"};
    return {ReadCode::Result::not_supported,
            "all that the fat binary holds is compressed; nvcc -no-compress leaves it as it is"};
}

} // namespace pygpu::host
