// Cubins and AMD's code objects: ELF files, whose symbols name kernels and variables.
#include "common/elf.hpp"
#include "code/code.hpp"

#include <algorithm>
#include <cstdint>
#include <elf.h>
#include <map>

namespace pygpu::host {
namespace {

constexpr unsigned char is_entry = 0x10;                // st_other of a function that is a kernel
constexpr std::string_view descriptor = ".kd";          // after a kernel's name in AMD's symbols
constexpr std::string_view attributes_of = ".nv.info."; // before a kernel's name in the sections of NVIDIA's

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
    Signature signature;
    std::vector<bool> seen;
    std::size_t total = 0;
    Record record{};
    for (std::size_t at = 0; read_at(info, at, record);) {
        at += sizeof record;
        if (record.kind == parameters_size) total = record.value;
        if (record.format != has_length) continue;
        ParameterInfo one{};
        if (record.kind == parameter_info && record.value == sizeof one && read_at(info, at, one)) {
            if (signature.size() <= one.ordinal)
                signature.resize(one.ordinal + 1u), seen.resize(signature.size());
            signature[one.ordinal] = {one.offset, one.bits >> 18, ""};
            seen[one.ordinal] = true;
        }
        at += record.value;
    }
    // Kernels without parameters have a size of 0; all others list every parameter.
    const bool all = std::ranges::all_of(seen, std::identity{}) && (!signature.empty() || !total);
    return all ? std::optional(std::move(signature)) : std::nullopt;
}

// Whether variables that programs can ask for lie in a section.
bool holds_variables(std::string_view section) {
    return section == ".nv.global" || section == ".nv.global.init" || section == ".nv.constant3";
}

void add_variable(const Elf<> &elf, std::string_view sections, const Elf64_Sym &symbol, std::string_view name,
                  Code &code) {
    Elf64_Shdr section{};
    if (!elf.section(symbol.st_shndx, section) || !holds_variables(text_at(sections, section.sh_name)))
        return;
    std::string_view bytes, initial;
    if (elf.content(section, bytes)) part_of(bytes, symbol.st_value, symbol.st_size, initial);
    code.variables.push_back({std::string(name), symbol.st_size, std::string(initial)});
}

} // namespace

ReadCode read_elf(std::string_view image, Code &code) {
    constexpr auto invalid = ReadCode::Result::invalid_image;
    const Elf elf(image);
    std::string_view sections;
    if (!elf || !elf.names(sections)) return {invalid, "the ELF file isn't whole"};
    const std::uint16_t machine = elf.header.e_machine;
    if (machine != machine_of_nvidia && machine != machine_of_amd)
        return {invalid, "the ELF file is for no GPU"};
    std::map<std::string_view, std::string_view> attributes; // of each kernel
    elf.sections([&](const Elf64_Shdr &section, std::string_view name) {
        std::string_view bytes;
        if (name.starts_with(attributes_of) && elf.content(section, bytes))
            attributes.emplace(name.substr(attributes_of.size()), bytes);
    });
    const bool whole = elf.symbols([&](const Elf64_Sym &symbol, std::string_view name) {
        const int type = ELF64_ST_TYPE(symbol.st_info);
        if (machine == machine_of_amd) {
            if (name.size() > descriptor.size() && name.ends_with(descriptor))
                code.kernels.push_back({std::string(name.substr(0, name.size() - descriptor.size())), {}});
        } else if (type == STT_FUNC && symbol.st_other & is_entry) {
            code.kernels.push_back({std::string(name), parameters_of(attributes[name])});
        } else if (type == STT_OBJECT && !name.empty()) {
            add_variable(elf, sections, symbol, name, code);
        }
    });
    code.is_cubin = machine == machine_of_nvidia;
    return whole ? ReadCode{} : ReadCode{invalid, "the ELF file's symbols aren't whole"};
}

} // namespace pygpu::host
