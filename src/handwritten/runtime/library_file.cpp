// Reading the program headers and the dynamic section.
#include "runtime/library_file.hpp"

#include "common/elf.hpp"
#include "python/reference.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pygpu {
namespace {

constexpr std::size_t most_tags = 1 << 16; // bytes to read of a dynamic section; real ones have some hundred
constexpr std::size_t longest_name = 256;
constexpr const char *behind_the_end = "is a damaged ELF file: it names a place behind its end";

// A file, read piece by piece. An exception may be set if reading failed.
struct PiecewiseFile {
    PyObject *file;

    bool size(std::size_t &bytes) const {
        const Reference number(PyObject_GetAttrString(file, "size"));
        bytes = number ? PyLong_AsSize_t(number.get()) : 0;
        return !PyErr_Occurred();
    }
};

bool part_of(const PiecewiseFile &pieces, CheckedInt<std::size_t> at, CheckedInt<std::size_t> size,
             std::string &part) {
    std::size_t start = 0, length = 0;
    if (!at.fits(start) || !size.fits(length)) return false;
    const Reference bytes(PyObject_CallMethod(pieces.file, "piece", "KK",
                                              static_cast<unsigned long long>(start),
                                              static_cast<unsigned long long>(length)));
    char *text = nullptr;
    Py_ssize_t size_of_bytes = 0;
    if (!bytes || PyBytes_AsStringAndSize(bytes.get(), &text, &size_of_bytes)) return false;
    part.assign(text, static_cast<std::size_t>(size_of_bytes));
    return part.size() == length;
}

template <class Value> bool read_at(const PiecewiseFile &pieces, CheckedInt<std::size_t> at, Value &value) {
    std::string part;
    if (!part_of(pieces, at, sizeof value, part)) return false;
    std::memcpy(&value, part.data(), sizeof value);
    return true;
}

struct LibraryFile {
    int bits = 0;
    bool little = true;
    unsigned machine = 0;
    std::string soname{};
};

class Reader {
public:
    Reader(PyObject *file, LibraryFile &library) : pieces_{file}, library_(library) {}

    // Says what is wrong with the file; "" if nothing is, or with an exception set.
    std::string read() {
        std::string first;
        if (!pieces_.size(size_) || !part_of(pieces_, 0, std::min<std::size_t>(size_, 20), first)) return "";
        if (first.empty()) return "is empty";
        if (!is_elf(first)) {
            const bool text = std::ranges::all_of(first, [](char one) { return one >= 9 && one < 127; });
            return text ? "is a text file, not a shared object" : "is not an ELF file";
        }
        const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(first[at]); };
        if (first.size() < 20 || byte(EI_CLASS) < 1 || byte(EI_CLASS) > 2 || byte(EI_DATA) < 1 ||
            byte(EI_DATA) > 2)
            return "is a damaged ELF file";
        library_.bits = 32 * byte(EI_CLASS);
        library_.little = byte(EI_DATA) == ELFDATA2LSB;
        const auto number = [&](std::size_t at) {
            const unsigned one = byte(at), other = byte(at + 1);
            return library_.little ? one | other << 8 : one << 8 | other;
        };
        library_.machine = number(18);
        if (number(16) != ET_DYN) return "is not a shared object";
        const Elf<PiecewiseFile, std::string> elf(pieces_);
        return elf ? read_segments(elf) : ""; // of another class or byte order, or an exception is set
    }

private:
    std::string read_segments(const Elf<PiecewiseFile, std::string> &elf) {
        if (elf.header.e_phentsize != sizeof(Elf64_Phdr))
            return "is a damaged ELF file: its program headers have another size";
        Elf64_Phdr dynamic{};
        const bool whole = elf.segments([&](const Elf64_Phdr &one) {
            if (one.p_type == PT_LOAD && one.p_filesz) mapped_.push_back(one);
            if (one.p_type == PT_DYNAMIC && !dynamic.p_type) dynamic = one;
        });
        if (!whole) return behind_the_end;
        // A page that is mapped behind the file's end raises SIGBUS when it is touched, in the loader
        // already.
        std::size_t needed = 0;
        for (const Elf64_Phdr &one : mapped_)
            needed = std::max(needed, (CheckedInt<std::size_t>(one.p_offset) + one.p_filesz).saturated());
        if (!pieces_.size(size_)) return "";
        if (needed > size_)
            return "is cut short: it has " + std::to_string(size_) + " bytes of " + std::to_string(needed) +
                   " or more";
        if (!dynamic.p_type) return "is a damaged ELF file: it has no dynamic section";
        if (!home(dynamic.p_vaddr)) // the loader would read it all the same, and crash
            return "is a damaged ELF file: its dynamic section is in no loaded segment";
        std::string tags;
        if (!part_of(pieces_, dynamic.p_offset, std::min<std::size_t>(dynamic.p_filesz, most_tags), tags))
            return behind_the_end;
        return read_soname(tags);
    }

    // The segment that brings an address's content into memory.
    const Elf64_Phdr *home(std::uint64_t address) const {
        const auto one = std::ranges::find_if(mapped_, [&](const Elf64_Phdr &segment) {
            return address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz;
        });
        return one == mapped_.end() ? nullptr : &*one;
    }

    std::string read_soname(std::string_view tags) {
        std::map<std::int64_t, std::uint64_t> values; // the first of every tag
        Elf64_Dyn tag{};
        for (std::size_t at = 0; pygpu::read_at(tags, at, tag) && tag.d_tag != DT_NULL; at += sizeof tag)
            values.try_emplace(tag.d_tag, tag.d_un.d_val);
        // Strings are given by their table's address in memory: find the segment that maps it.
        const auto table = values.find(DT_STRTAB), name = values.find(DT_SONAME);
        const Elf64_Phdr *segment = table == values.end() ? nullptr : home(table->second);
        if (!segment) return "is a damaged ELF file: it has no table of strings";
        if (name == values.end()) return "";
        const CheckedInt<std::size_t> place =
            CheckedInt<std::size_t>(table->second - segment->p_vaddr) + segment->p_offset + name->second;
        std::size_t start = 0;
        if (!place.fits(start) || start > size_) return behind_the_end;
        std::string text;
        if (!part_of(pieces_, start, std::min(longest_name, size_ - start), text)) return behind_the_end;
        const std::size_t end = text.find('\0');
        if (end == text.npos) return "is a damaged ELF file: its SONAME has no end";
        library_.soname = text.substr(0, end);
        return "";
    }

    const PiecewiseFile pieces_;
    LibraryFile &library_;
    std::size_t size_ = 0; // may change while the file is read
    std::vector<Elf64_Phdr> mapped_{};
};

} // namespace

PyObject *read_library_file(PyObject *file) {
    LibraryFile library;
    const std::string problem = Reader(file, library).read();
    if (PyErr_Occurred()) return nullptr;
    const Reference soname(PyUnicode_DecodeUTF8(library.soname.data(),
                                                static_cast<Py_ssize_t>(library.soname.size()), "replace"));
    if (!soname) return nullptr;
    return Py_BuildValue("(isIOs)", library.bits, library.little ? "<" : ">", library.machine, soname.get(),
                         problem.c_str());
}

} // namespace pygpu
