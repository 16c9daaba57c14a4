// Text parameters (`const char *`): str, bytes or a path in; str out.
#pragma once

#include "convert/converter.hpp"
#include "python/reference.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>

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
    // A capacity that nobody has memory for is std::bad_alloc. What C leaves alone is never touched.
    template <std::integral T> explicit TextBuffer(T capacity) {
        if (std::cmp_less_equal(capacity, 0)) return;
        if (std::cmp_greater(capacity, PTRDIFF_MAX)) throw std::bad_alloc();
        capacity_ = static_cast<std::size_t>(capacity);
        text_.reset(static_cast<char *>(std::calloc(capacity_, 1)));
        if (!text_) throw std::bad_alloc();
    }

    char *memory() { return text_.get(); }
    std::string text() const {
        return text_ ? std::string(text_.get(), strnlen(text_.get(), capacity_)) : "";
    }

private:
    struct Free {
        void operator()(char *text) const { std::free(text); }
    };
    std::unique_ptr<char[], Free> text_;
    std::size_t capacity_ = 0;
};

// Text that the vendor's library lends; None for a null pointer.
PyObject *to_python(const char *text);
PyObject *to_python(const TextBuffer &text);

} // namespace pygpu
