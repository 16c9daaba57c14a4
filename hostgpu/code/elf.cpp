// Cubins and AMD's code objects: ELF files, whose symbols name kernels and variables.
#include "code/bytes.hpp"
#include "code/code.hpp"

#include <algorithm>
#include <cstdint>
#include <elf.h>

namespace pygpu::host {
namespace {

constexpr std::uint16_t nvidia = 190, amd = 224; // e_machine
constexpr unsigned char is_entry = 0x10;         // st_other of a function that is a kernel
constexpr std::string_view descriptor = ".kd";   // behind a kernel's name in AMD's symbols

// The file with its sections.
class Elf {
public:
    explicit Elf(std::string_view image) : image_(image) {
        Elf64_Shdr names{};
        whole_ = read_at(image, 0, header) && header.e_ident[EI_CLASS] == ELFCLASS64 &&
                 header.e_shentsize == sizeof(Elf64_Shdr) && section(header.e_shstrndx, names) &&
                 content(names, names_);
    }

    Elf64_Ehdr header{};

    explicit operator bool() const { return whole_; }

    bool section(std::size_t index, Elf64_Shdr &found) const {
        return index < header.e_shnum &&
               read_at(image_, CheckedInt<std::size_t>(index) * sizeof found + header.e_shoff, found);
    }
    bool content(const Elf64_Shdr &section, std::string_view &found) const {
        return section.sh_type != SHT_NOBITS && part_of(image_, section.sh_offset, section.sh_size, found);
    }
    std::string_view name(const Elf64_Shdr &section) const { return text_at(names_, section.sh_name); }

    // The content of the first section of that name; empty where there is none.
    std::string_view content_of(std::string_view wanted) const {
        Elf64_Shdr one{};
        std::string_view found;
        for (std::size_t index = 0; section(index, one); ++index) {
            if (name(one) == wanted && content(one, found)) return found;
        }
        return {};
    }

    // Calls visit(symbol, name) for each symbol; false where there is no whole table. AMD's stripped code
    // objects have only the dynamic table.
    template <class Visit> bool symbols(Visit visit) const {
        Elf64_Shdr table{}, strings{};
        if (!section_of(SHT_SYMTAB, table) && !section_of(SHT_DYNSYM, table)) return false;
        std::string_view rows, names;
        if (!content(table, rows) || !section(table.sh_link, strings) || !content(strings, names))
            return false;
        Elf64_Sym symbol{};
        for (std::size_t at = 0; read_at(rows, at, symbol); at += sizeof symbol)
            visit(symbol, text_at(names, symbol.st_name));
        return true;
    }

private:
    bool section_of(std::uint32_t type, Elf64_Shdr &found) const {
        for (std::size_t index = 0; section(index, found); ++index) {
            if (found.sh_type == type) return true;
        }
        return false;
    }

    std::string_view image_, names_;
    bool whole_ = false;
};

// A kernel's attributes are records: a format, a kind, and a value of two bytes or the length of a longer
// one.
struct Record {
    std::uint8_t format, kind;
    std::uint16_t value;
};

struct ParameterInfo {
    std::uint32_t index;
    std::uint16_t ordinal, offset;
    std::uint32_t bits; // the size from bit 18 on
};

constexpr std::uint8_t has_length = 4, parameter_info = 0x17, parameters_size = 0x19;

// The parameters in their order; none unless all of them are described.
std::optional<Signature> parameters_of(std::string_view info) {
    Signature found;
    std::vector<bool> seen;
    std::size_t total = 0;
    Record record{};
    for (std::size_t at = 0; read_at(info, at, record);) {
        at += sizeof record;
        if (record.kind == parameters_size) total = record.value;
        if (record.format != has_length) continue;
        ParameterInfo one{};
        if (record.kind == parameter_info && record.value == sizeof one && read_at(info, at, one)) {
            if (found.size() <= one.ordinal) found.resize(one.ordinal + 1u), seen.resize(found.size());
            found[one.ordinal] = {one.offset, one.bits >> 18, ""};
            seen[one.ordinal] = true;
        }
        at += record.value;
    }
    // Kernels without parameters have a size of 0; all others tell every parameter.
    const bool all = std::ranges::all_of(seen, std::identity{}) && (!found.empty() || !total);
    return all ? std::optional(std::move(found)) : std::nullopt;
}

// Whether variables that programs can ask for lie in a section.
bool holds_variables(std::string_view section) {
    return section == ".nv.global" || section == ".nv.global.init" || section == ".nv.constant3";
}

void add_variable(const Elf &elf, const Elf64_Sym &symbol, std::string_view name, Code &code) {
    Elf64_Shdr section{};
    if (!elf.section(symbol.st_shndx, section) || !holds_variables(elf.name(section))) return;
    std::string_view bytes, initial;
    if (elf.content(section, bytes)) part_of(bytes, symbol.st_value, symbol.st_size, initial);
    code.variables.push_back({std::string(name), symbol.st_size, std::string(initial)});
}

} // namespace

ReadCode read_elf(std::string_view image, Code &code) {
    constexpr auto invalid = ReadCode::Result::invalid_image;
    const Elf elf(image);
    if (!elf) return {invalid, "the ELF file isn't whole"};
    const std::uint16_t machine = elf.header.e_machine;
    if (machine != nvidia && machine != amd) return {invalid, "the ELF file is for no GPU"};
    const bool whole = elf.symbols([&](const Elf64_Sym &symbol, std::string_view name) {
        const int type = ELF64_ST_TYPE(symbol.st_info);
        if (machine == amd) {
            if (name.size() > descriptor.size() && name.ends_with(descriptor))
                code.kernels.push_back({std::string(name.substr(0, name.size() - descriptor.size())), {}});
        } else if (type == STT_FUNC && symbol.st_other & is_entry) {
            const std::string_view info = elf.content_of(".nv.info." + std::string(name));
            code.kernels.push_back({std::string(name), parameters_of(info)});
        } else if (type == STT_OBJECT && !name.empty()) {
            add_variable(elf, symbol, name, code);
        }
    });
    code.is_cubin = machine == nvidia;
    return whole ? ReadCode{} : ReadCode{invalid, "the ELF file's symbols aren't whole"};
}

} // namespace pygpu::host
