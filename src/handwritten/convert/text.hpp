// Text parameters (`const char *`): str, bytes or a path in; str out.
#pragma once

#include "convert/converter.hpp"
#include "interpreter/reference.hpp"

#include <concepts>
#include <string>

namespace pygpu {

struct Text {
    const char *data;
    operator const char *() const { return data; }
};

template <> struct Converter<Text> {
    Reference encoded;
    const char *held = nullptr;

    bool load(PyObject *object, const Place &place);
    void fallback(long long) { held = nullptr; }
    Text value() const { return {held}; }
};

// Room for text that C writes, `capacity` bytes with its NUL.
class TextBuffer {
public:
    TextBuffer() = default;
    template <std::integral T>
    explicit TextBuffer(T capacity) : text_(capacity > 0 ? static_cast<std::size_t>(capacity) : 0, '\0') {}

    char *memory() { return text_.data(); }
    std::string text() const { return text_.c_str(); }

private:
    std::string text_;
};

// Text that the vendor's library lends; None for a null pointer.
PyObject *to_python(const char *text);
PyObject *to_python(const TextBuffer &text);

} // namespace pygpu
