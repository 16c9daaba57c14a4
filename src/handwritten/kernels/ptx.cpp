// Reading the heads of kernels, from one to the next.
#include "kernels/ptx.hpp"

#include "common/ptx/declaration.hpp"
#include "python/reference.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pygpu::kernels {
namespace {

using ptx::Lexer;

struct Listed {
    std::size_t size, offset;
    const char *kind;
    std::string type;
};

// The kinds are those of Holds. A pointer without `.ptr`, and an integer of its size, are the same to PTX.
Listed parameter(Lexer &words, std::size_t &end) {
    words.expect(".param");
    const ptx::Declaration of = ptx::declaration(words);
    if (!of.opaque.empty()) words.fail("a reference");
    std::vector<std::uint64_t> counts;
    const ptx::Declarator one = ptx::declarator(words, of, &counts);
    const std::size_t offset = (end + one.alignment - 1) / one.alignment * one.alignment;
    end = offset + one.size;
    const bool single = counts.empty() && of.lanes == 1 && of.type.lanes == 1;
    if (!single || of.type.kind > ptx::Type::real)
        return {one.size, offset, "bytes", "b8[" + std::to_string(one.size) + "]"};
    if (of.pointer) return {one.size, offset, "pointer", "pointer"};
    const bool is_float = of.type.kind == ptx::Type::real, word = one.size == sizeof(void *);
    return {one.size, offset, is_float ? "float" : word ? "word" : "integer", std::string(of.name)};
}

// What stands between the parentheses behind a kernel's name.
std::vector<Listed> parameters(Lexer &words) {
    std::vector<Listed> all;
    std::size_t end = 0;
    if (!words.take("(")) return all;
    while (!words.take(")")) {
        all.push_back(parameter(words, end));
        if (!words.take(",") && words.now != ")") words.fail("',' or ')' is expected");
    }
    return all;
}

bool add(PyObject *kernels, std::string_view name, const std::vector<Listed> &all) {
    const Reference tuple(PyTuple_New(static_cast<Py_ssize_t>(all.size())));
    Py_ssize_t at = 0;
    for (const Listed &one : all) {
        PyObject *row = tuple ? Py_BuildValue("(nsOns)", static_cast<Py_ssize_t>(one.size), one.kind, Py_None,
                                              static_cast<Py_ssize_t>(one.offset), one.type.c_str())
                              : nullptr;
        if (!row) return false;
        PyTuple_SET_ITEM(tuple.get(), at++, row);
    }
    return tuple && !PyDict_SetItemString(kernels, std::string(name).c_str(), tuple.get());
}

// False with an exception set.
bool add_all(PyObject *kernels, std::string_view text) {
    try {
        for (Lexer words(text); !words.now.empty();) {
            if (!words.take(".entry")) {
                words.next();
                continue;
            }
            const std::string_view name = words.taken();
            try {
                if (!add(kernels, name, parameters(words))) return false;
            } catch (const ptx::Problem &) { // the driver is to refuse it, with its own message
            }
        }
    } catch (const ptx::Problem &) { // a comment or a string that doesn't end
    }
    return true;
}

} // namespace

PyObject *ptx_kernels(PyObject *, PyObject *text) {
    Py_ssize_t size = 0;
    char *bytes = nullptr;
    const char *characters = PyUnicode_Check(text) ? PyUnicode_AsUTF8AndSize(text, &size) : nullptr;
    if (!characters && !PyErr_Occurred() && !PyBytes_AsStringAndSize(text, &bytes, &size)) characters = bytes;
    Reference kernels(characters ? PyDict_New() : nullptr);
    return kernels && add_all(kernels.get(), {characters, static_cast<std::size_t>(size)}) ? kernels.release()
                                                                                           : nullptr;
}

} // namespace pygpu::kernels
