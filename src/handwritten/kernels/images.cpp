// Reading programs, fat binaries, code objects and names. All content gives an answer; damaged code shows
// less.
#include "kernels/images.hpp"

#include "common/demangled.hpp"
#include "common/elf.hpp"
#include "common/fatbin.hpp"
#include "kernels/ptx.hpp"
#include "python/reference.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace pygpu::kernels {
namespace {

constexpr std::string_view bundle_magic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::uint64_t most_bundled = 64;
constexpr std::uint32_t amd_metadata = 32; // the type of a note

bool load_bytes(PyObject *object, std::string_view &bytes) {
    char *text = nullptr;
    Py_ssize_t size = 0;
    if (PyBytes_AsStringAndSize(object, &text, &size)) return false;
    bytes = {text, static_cast<std::size_t>(size)};
    return true;
}

PyObject *to_bytes(std::string_view bytes) {
    return PyBytes_FromStringAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size()));
}

bool append(PyObject *list, std::string_view bytes) {
    const Reference part(to_bytes(bytes));
    return part && !PyList_Append(list, part.get());
}

// Fat binaries, one behind another. nvcc's linker puts one without kernels before those of the program.
PyObject *fatbins_in(std::string_view section) {
    const std::string_view magic(reinterpret_cast<const char *>(&fatbin_magic), sizeof fatbin_magic);
    Reference parts(PyList_New(0));
    std::size_t start = section.find(magic);
    while (parts && start != section.npos) {
        FatbinHeader header{};
        if (!read_at(section, start, header)) break;
        const std::size_t size = std::min<std::size_t>(
            (CheckedInt<std::size_t>(header.size) + header.bytes).saturated(), section.size() - start);
        if (!append(parts.get(), section.substr(start, size))) return nullptr;
        start = section.find(magic, start + std::max(size, sizeof header));
    }
    if (parts && !PyList_GET_SIZE(parts.get()) && !append(parts.get(), section)) return nullptr;
    return parts.release();
}

// images(code): the parts with device code that nvcc or hipcc put into a program or a shared object. Other
// code is its own only part.
PyObject *images(PyObject *, PyObject *code) {
    std::string_view bytes;
    if (!load_bytes(code, bytes)) return nullptr;
    const Elf elf(bytes);
    const bool program =
        is_elf(bytes) && elf.header.e_machine != machine_of_nvidia && elf.header.e_machine != machine_of_amd;
    if (!program) return Py_BuildValue("[O]", code);
    const auto content_of = [&](const char *name) { return elf ? elf.content_of(name) : std::string_view(); };
    if (const std::string_view section = content_of(".nv_fatbin"); !section.empty())
        return fatbins_in(section);
    const std::string_view section = content_of(".hip_fatbin");
    Reference parts(PyList_New(0));
    if (parts && !section.empty() && !append(parts.get(), section)) return nullptr;
    return parts.release();
}

// The first code object of a bundle; other code as it is.
std::string_view unbundled(std::string_view code) {
    if (!code.starts_with(bundle_magic)) return code;
    struct BundleEntry {
        std::uint64_t offset, size, name;
    } entry{};
    std::uint64_t count = 0;
    read_at(code, bundle_magic.size(), count);
    std::size_t at = bundle_magic.size() + sizeof count;
    for (count = std::min(count, most_bundled); count; --count) {
        std::string_view name, part;
        if (!read_at(code, at, entry) || !part_of(code, at + sizeof entry, entry.name, name)) break;
        at += sizeof entry + name.size();
        if (entry.size && name.find("amdgcn") != name.npos)
            return part_of(code, entry.offset, entry.size, part) ? part : "";
    }
    return {};
}

// metadata(code): what AMD's compiler says of a code object's kernels, as MessagePack; empty for other code.
PyObject *metadata(PyObject *, PyObject *code) {
    std::string_view bytes;
    if (!load_bytes(code, bytes)) return nullptr;
    const Elf elf(unbundled(bytes));
    return to_bytes(elf ? elf.note("AMDGPU", amd_metadata) : std::string_view());
}

PyObject *source_name(PyObject *, PyObject *name) {
    Py_ssize_t size = 0;
    const char *text = PyUnicode_AsUTF8AndSize(name, &size);
    if (!text) return nullptr;
    const std::string known = pygpu::demangled({text, static_cast<std::size_t>(size)});
    return PyUnicode_DecodeUTF8(known.data(), static_cast<Py_ssize_t>(known.size()), "replace");
}

PyMethodDef image_functions[] = {
    {"images", images, METH_O,
     "images(code, /)\n--\n\nThe parts with device code that nvcc or hipcc put into a program or a shared object; other "
     "code is its own only part."},
    {"metadata", metadata, METH_O,
     "metadata(code, /)\n--\n\nWhat AMD's compiler says of a code object's kernels, as MessagePack; empty for other code."},
    {"demangled", source_name, METH_O,
     "demangled(name, /)\n--\n\nA mangled name as the source has it; other names stay."},
    {"ptx_kernels", ptx_kernels, METH_O,
     "ptx_kernels(text, /)\n--\n\nFrom the name of each kernel of PTX to its parameters: (size, kind, None, offset, type) "
     "each."},
    {nullptr, nullptr, 0, nullptr}};

} // namespace

bool add_image_functions(PyObject *module) { return !PyModule_AddFunctions(module, image_functions); }

} // namespace pygpu::kernels
