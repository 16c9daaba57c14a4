// Appending reports to a list, and walking the frames of Python.
#include "runtime/host_reports.hpp"

#include "python/callback.hpp"
#include "python/exception_aside.hpp"
#include "python/reference.hpp"

#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

namespace pygpu {
namespace {

PyObject *collected = nullptr; // guarded by the GIL

Reference attribute(const Reference &object, const char *name) {
    return Reference(object ? PyObject_GetAttrString(object.get(), name) : nullptr);
}

std::string_view text_of(const Reference &object) {
    Py_ssize_t size = 0;
    const char *text =
        object && PyUnicode_Check(object.get()) ? PyUnicode_AsUTF8AndSize(object.get(), &size) : nullptr;
    return text ? std::string_view(text, static_cast<std::size_t>(size)) : std::string_view();
}

// Whether a frame runs code of this package or of an import.
bool is_passed_over(const Reference &frame) {
    const Reference names = attribute(frame, "f_globals");
    const Reference module =
        Reference::borrow(names ? PyDict_GetItemString(names.get(), "__name__") : nullptr);
    const std::string_view name = text_of(module);
    const std::string_view package = name.substr(0, name.find('.'));
    return package == "PyGPU" || package == "importlib";
}

// It makes no text of an object: PyObject_Str() and PyObject_Repr() run the handlers of signals.
void write_line(const Reference &frame, char *text, std::size_t size) {
    const Reference code = attribute(frame, "f_code");
    const int line = PyFrame_GetLineNumber(reinterpret_cast<PyFrameObject *>(frame.get()));
    const Reference file = attribute(code, "co_filename"), function = attribute(code, "co_name");
    if (!file || !function) return;
    const Reference place(PyUnicode_FromFormat("%U:%d in %U", file.get(), line, function.get()));
    const Reference bytes(place ? PyUnicode_AsEncodedString(place.get(), "utf-8", "replace") : nullptr);
    if (bytes) std::snprintf(text, size, "%s", PyBytes_AS_STRING(bytes.get()));
}

} // namespace

void collect_report(const char *text) {
    enter_python([&] {
        const ExceptionAside aside;
        if (!collected) return;
        const Reference line(
            PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(std::strlen(text)), "replace"));
        if (!line || PyList_Append(collected, line.get())) PyErr_WriteUnraisable(nullptr);
    });
}

PyObject *exchange_collected_reports(PyObject *list) { return std::exchange(collected, list); }

void write_line_of_caller(char *text, std::size_t size) {
    enter_python([&] {
        const ExceptionAside aside;
        Reference frame = Reference::borrow(reinterpret_cast<PyObject *>(PyEval_GetFrame()));
        while (frame && frame.get() != Py_None && is_passed_over(frame)) frame = attribute(frame, "f_back");
        if (frame && frame.get() != Py_None) write_line(frame, text, size);
        PyErr_Clear();
    });
}

} // namespace pygpu
