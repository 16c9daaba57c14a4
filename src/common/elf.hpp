// Reading ELF files (elf(5)): cubins, AMD's code objects, programs and shared objects.
//
// All numbers are checked against the image. Only files of 64 bits and of this machine's byte order are read,
// as the code of all GPUs is.
#pragma once

#include "common/bytes.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <string_view>

namespace pygpu {

inline constexpr std::uint16_t machine_of_nvidia = 190, machine_of_amd = 224; // e_machine

inline bool is_elf(std::string_view image) { return image.starts_with(std::string_view(ELFMAG, SELFMAG)); }

// `Image` is read by read_at() and part_of() alone: a std::string_view, or a file. `Part` is what part_of()
// gives.
template <class Image = std::string_view, class Part = std::string_view> class Elf {
public:
    explicit Elf(Image image) : image_(image) {
        constexpr unsigned char order =
            std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
        whole_ = read_at(image_, 0, header) && !std::memcmp(header.e_ident, ELFMAG, SELFMAG) &&
                 header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == order;
    }

    Elf64_Ehdr header{};

    // Whether there is a whole header of such a file.
    explicit operator bool() const { return whole_; }

    // The header of a section; false behind the last one, and where it lies outside of the image.
    bool section(std::size_t index, Elf64_Shdr &header_of_it) const {
        return header.e_shentsize == sizeof header_of_it && index < header.e_shnum &&
               read_at(image_, CheckedInt<std::size_t>(index) * sizeof header_of_it + header.e_shoff,
                       header_of_it);
    }
    // Calls visit(header, name) for each section; never, where there are no names.
    template <class Visit> void sections(Visit visit) const {
        Elf64_Shdr one{};
        Part texts{};
        if (!names(texts)) return;
        for (std::size_t index = 0; section(index, one); ++index) visit(one, text_at(texts, one.sh_name));
    }
    // Calls visit(header) for each segment; false where their headers aren't wholly there.
    template <class Visit> bool segments(Visit visit) const {
        Elf64_Phdr one{};
        Part table{};
        if (header.e_phentsize != sizeof one ||
            !part_of(image_, header.e_phoff, CheckedInt<std::size_t>(header.e_phnum) * sizeof one, table))
            return false;
        for (std::size_t at = 0; read_at(table, at, one); at += sizeof one) visit(one);
        return true;
    }

    bool content(const Elf64_Shdr &section, Part &bytes) const {
        return section.sh_type != SHT_NOBITS && part_of(image_, section.sh_offset, section.sh_size, bytes);
    }
    bool content(const Elf64_Phdr &segment, Part &bytes) const {
        return part_of(image_, segment.p_offset, segment.p_filesz, bytes);
    }

    // The names of sections; false where there are none.
    bool names(Part &texts) const {
        Elf64_Shdr one{};
        return section(header.e_shstrndx, one) && content(one, texts);
    }

    // The content of the first section of that name; empty where there is none.
    Part content_of(std::string_view name) const {
        Part wanted{};
        sections([&](const Elf64_Shdr &one, const auto &its_name) {
            if (wanted.empty() && its_name == name) content(one, wanted);
        });
        return wanted;
    }

    // Calls visit(symbol, name) for each symbol; false where there is no whole table. AMD's stripped code
    // objects have only the dynamic table.
    template <class Visit> bool symbols(Visit visit) const {
        Elf64_Shdr table{}, strings{};
        if (!section_of(SHT_SYMTAB, table) && !section_of(SHT_DYNSYM, table)) return false;
        Part rows{}, texts{};
        if (!content(table, rows) || !section(table.sh_link, strings) || !content(strings, texts))
            return false;
        Elf64_Sym symbol{};
        for (std::size_t at = 0; read_at(rows, at, symbol); at += sizeof symbol)
            visit(symbol, text_at(texts, symbol.st_name));
        return true;
    }

    // The content of the first note of this owner and type; empty where there is none.
    Part note(std::string_view owner, std::uint32_t type) const {
        Part wanted{};
        segments([&](const Elf64_Phdr &one) {
            Part notes{};
            if (one.p_type == PT_NOTE && wanted.empty() && content(one, notes))
                wanted = note_in(notes, owner, type);
        });
        return wanted;
    }

private:
    static std::size_t aligned(std::size_t size) { return (size + 3) / 4 * 4; }

    static Part note_in(const Part &notes, std::string_view owner, std::uint32_t type) {
        Elf64_Nhdr note{};
        for (std::size_t at = 0; read_at(notes, at, note);) {
            const std::size_t start = at + sizeof note + aligned(note.n_namesz);
            Part name{}, content_of_it{};
            if (!part_of(notes, at + sizeof note, note.n_namesz, name) ||
                !part_of(notes, start, note.n_descsz, content_of_it))
                break;
            if (note.n_type == type && text_at(name, 0) == owner) return content_of_it;
            at = start + aligned(note.n_descsz);
        }
        return {};
    }

    bool section_of(std::uint32_t type, Elf64_Shdr &header_of_it) const {
        for (std::size_t index = 0; section(index, header_of_it); ++index) {
            if (header_of_it.sh_type == type) return true;
        }
        return false;
    }

    Image image_;
    bool whole_ = false;
};

} // namespace pygpu
