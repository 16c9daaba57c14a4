// Looking a line up by its instruction.
#include "trace/place.hpp"

#include "python/exception_aside.hpp"
#include "python/later.hpp"
#include "python/reference.hpp"

#include <string_view>
#include <utility>
#include <vector>

namespace pygpu::trace {
namespace {

std::string &package_folder() {
    static std::string folder;
    return folder;
}

int instruction_of(PyFrameObject *frame) {
#if PY_VERSION_HEX >= 0x030b0000
    return PyFrame_GetLasti(frame);
#else
    return frame->f_lasti * 2;
#endif
}

std::string text_of(PyObject *text) {
    const Reference bytes(text ? PyUnicode_AsEncodedString(text, "utf-8", "surrogateescape") : nullptr);
    if (!bytes) PyErr_Clear();
    return bytes ? PyBytes_AS_STRING(bytes.get()) : "";
}

Reference attribute(PyCodeObject *code, const char *name) {
    Reference value(PyObject_GetAttrString(reinterpret_cast<PyObject *>(code), name));
    if (!value) PyErr_Clear();
    return value;
}

bool is_inside(const std::string &file) {
    return file.starts_with(package_folder()) || file.starts_with("<frozen importlib");
}

} // namespace

void set_package_folder(std::string folder) { package_folder() = std::move(folder); }

Place current_place() {
    const ExceptionAside aside;
    PyFrameObject *frame = PyEval_GetFrame();
    Reference held; // a frame further out
    while (frame) {
        const Reference code(reinterpret_cast<PyObject *>(PyFrame_GetCode(frame)));
        auto *const known = reinterpret_cast<PyCodeObject *>(code.get());
        std::string file = text_of(attribute(known, "co_filename").get());
        if (!is_inside(file))
            return {std::move(file), text_of(attribute(known, "co_name").get()),
                    PyFrame_GetLineNumber(frame)};
        held = Reference(reinterpret_cast<PyObject *>(PyFrame_GetBack(frame)));
        frame = reinterpret_cast<PyFrameObject *>(held.get());
    }
    return {};
}

std::uint32_t Places::find(unsigned recording, Number *number, void *how) {
    PyFrameObject *frame = PyEval_GetFrame();
    Reference held; // a frame further out
    while (frame) {
        PyCodeObject *const code = PyFrame_GetCode(frame); // a new reference
        const int instruction = instruction_of(frame);
        const auto hash = reinterpret_cast<std::uintptr_t>(code) / 16 + static_cast<std::size_t>(instruction);
        Known &known = known_[(hash ^ hash >> 9) % size];
        if (known.code == code && known.instruction == instruction && known.recording == recording)
            [[likely]] {
            Py_DECREF(code);
        } else {
            const ExceptionAside aside;
            std::string file = text_of(attribute(code, "co_filename").get());
            const bool inside = is_inside(file);
            std::uint32_t given = 0;
            if (!inside)
                given = number(how, {std::move(file), text_of(attribute(code, "co_name").get()),
                                     PyFrame_GetLineNumber(frame)});
            PyCodeObject *const before =
                std::exchange(known, {code, instruction, recording, given, inside}).code;
            Py_XDECREF(before);
        }
        if (!known.inside) return known.number;
        held = Reference(reinterpret_cast<PyObject *>(PyFrame_GetBack(frame)));
        frame = reinterpret_cast<PyFrameObject *>(held.get());
    }
    return 0;
}

// A thread ends without the GIL.
Places::~Places() {
    std::vector<PyCodeObject *> codes;
    for (const Known &one : known_)
        if (one.code) codes.push_back(one.code);
    if (codes.empty()) return;
    postpone([codes = std::move(codes)] {
        for (PyCodeObject *one : codes) Py_DECREF(one);
    });
}

} // namespace pygpu::trace
