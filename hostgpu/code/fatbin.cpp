// The images of fat binaries; github.com/lz4/lz4/issues/1015 describes compressed ones.
#include "common/fatbin.hpp"
#include "code/code.hpp"
#include "code/unpack.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace pygpu::host {
namespace {

struct Entry {
    std::uint16_t kind, version;
    std::uint32_t header; // its own size
    std::uint64_t bytes;
    std::uint32_t compressed, unused; // bytes, where it is compressed
    std::uint16_t minor, major;
    std::uint32_t architecture, name, name_size;
    std::uint64_t flags, reserved;
    std::uint64_t whole; // bytes once it is decompressed
};

static_assert(sizeof(Entry) == 64);

constexpr std::uint16_t ptx_entry = 1, elf_entry = 2;
constexpr std::uint64_t by_lz4 = 0x2000, by_zstd = 0x8000;

// One of the images, as it lies in the fat binary.
struct FatbinImage {
    std::string_view bytes;
    Packing packing;
    std::uint64_t size; // once unpacked
};

// False where a packed image is longer than its place.
bool image_of(const Entry &entry, std::string_view part, FatbinImage &image) {
    image.packing = entry.flags & by_zstd  ? Packing::zstd
                    : entry.flags & by_lz4 ? Packing::lz4
                                           : Packing::none;
    image.size = image.packing == Packing::none ? part.size() : entry.whole;
    return part_of(part, 0, image.packing == Packing::none ? part.size() : entry.compressed, image.bytes);
}

} // namespace

// PTX comes first, since it has the types of parameters, too.
ReadCode unpack_fatbin(std::string_view image, std::string &whole, bool &is_ptx) {
    constexpr auto invalid = ReadCode::Result::invalid_image;
    std::string_view all;
    if (!fatbin_body(image, all)) return {invalid, "the fat binary's header says that it is longer"};
    std::vector<FatbinImage> images[3];
    while (!all.empty()) {
        Entry entry{};
        std::string_view part;
        FatbinImage one{};
        if (!read_at(all, 0, entry) || entry.header < sizeof entry ||
            !part_of(all, entry.header, entry.bytes, part) || !image_of(entry, part, one))
            return {invalid, "an image in the fat binary is longer than that"};
        all.remove_prefix(entry.header + part.size());
        if (entry.kind == ptx_entry || entry.kind == elf_entry) images[entry.kind].push_back(one);
    }
    if (images[ptx_entry].empty() && images[elf_entry].empty())
        return {invalid, "the fat binary holds neither PTX nor a cubin"};
    for (const std::uint16_t kind : {ptx_entry, elf_entry}) {
        for (const FatbinImage &one : images[kind]) {
            switch (unpack(one.bytes, one.packing, one.size, whole)) {
            case Unpacked::whole:
                is_ptx = kind == ptx_entry;
                if (is_ptx) whole.resize(std::min(whole.find('\0'), whole.size()));
                return {};
            case Unpacked::damaged:
                return {invalid, "an image in the fat binary can't be decompressed"};
            case Unpacked::no_library: // another image may be uncompressed
                break;
            }
        }
    }
    return {ReadCode::Result::no_binary,
            "all that the fat binary holds is compressed by Zstandard, and there is "
            "no libzstd.so.1; nvcc -no-compress leaves it as it is"};
}

ReadCode read_fatbin(std::string_view image, Code &code) {
    std::string whole;
    bool is_ptx = false;
    ReadCode outcome = unpack_fatbin(image, whole, is_ptx);
    if (outcome.result != ReadCode::Result::done) return outcome;
    return is_ptx ? read_ptx(whole, code) : read_elf(whole, code);
}

} // namespace pygpu::host
