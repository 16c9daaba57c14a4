// Text parameters (`const char *`): str, bytes or a path in; str out. Code that C writes as chars: bytes out.
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
#include <optional>
#include <string>
#include <utility>

namespace pygpu {

struct Text {
    const char *data;
    operator const char *() const { return data; }
};

template <> struct Converter<Text> {
    Reference encoded;
    const char *loaded = nullptr;

    bool load(PyObject *object, const ArgumentContext &context);
    void fallback(long long) { loaded = nullptr; }
    Text value() const { return {loaded}; }
};

// An item of an array of texts. C reads every item, so none of them may be None.
struct TextItem : Text {};

template <> struct Converter<TextItem> : Converter<Text> {
    bool load(PyObject *object, const ArgumentContext &context);
    TextItem value() const { return {Converter<Text>::value()}; }
};

// Room for chars that C writes, zeroed.
class CharBuffer {
public:
    CharBuffer() = default;
    // Throws std::bad_alloc if there is not enough memory. Memory that C doesn't write is never touched.
    // Without capacity there are `least` chars for an address.
    template <std::integral T> explicit CharBuffer(T capacity, std::size_t least = 0) {
        if (std::cmp_greater(capacity, PTRDIFF_MAX)) throw std::bad_alloc();
        if (std::cmp_greater(capacity, 0)) capacity_ = static_cast<std::size_t>(capacity);
        const std::size_t bytes = capacity_ ? capacity_ : least;
        if (!bytes) return;
        held_.reset(static_cast<char *>(std::calloc(bytes, 1)));
        if (!held_) throw std::bad_alloc();
    }

    char *memory() { return held_.get(); }
    const char *memory() const { return held_.get(); }
    std::size_t capacity() const { return capacity_; }
    // Keeps only as many chars as C says that it wrote.
    template <std::integral T> void cut(T written) {
        if (std::cmp_less(written, capacity_))
            capacity_ = std::cmp_less(written, 0) ? 0 : static_cast<std::size_t>(written);
    }

private:
    struct Free {
        void operator()(char *memory) const { std::free(memory); }
    };
    std::unique_ptr<char[], Free> held_;
    std::size_t capacity_ = 0;
};

template <std::integral T> void cut(CharBuffer &buffer, T written) { buffer.cut(written); }

// Text: `capacity` includes its NUL. An empty one has memory, too: nvJitLink refuses null for an empty log.
class TextBuffer : public CharBuffer {
public:
    TextBuffer() = default;
    template <std::integral T> explicit TextBuffer(T capacity) : CharBuffer(capacity, 1) {}
    std::string text() const { return memory() ? std::string(memory(), strnlen(memory(), capacity())) : ""; }
};

// Code: the whole buffer is the result.
class ByteBuffer : public CharBuffer {
public:
    using CharBuffer::CharBuffer;
    std::size_t size() const { return capacity(); }
};

// Code that is text and ends with a NUL, which is no part of the result.
class CodeText : public CharBuffer {
public:
    using CharBuffer::CharBuffer;
    std::size_t size() const {
        const std::size_t all = capacity();
        return all && !memory()[all - 1] ? all - 1 : all;
    }
};

// Text that C lends for a while: copied before anything else can run.
class LentText {
public:
    LentText() = default;
    explicit LentText(const char *lent) {
        if (lent) text_ = lent;
    }
    const char *text() const { return text_ ? text_->c_str() : nullptr; }

private:
    std::optional<std::string> text_;
};

// Text that the vendor's library lends; None for a null pointer.
PyObject *to_python(const char *text);
PyObject *to_python(const LentText &text);
PyObject *to_python(const TextBuffer &text);
PyObject *to_python(const ByteBuffer &bytes);
PyObject *to_python(const CodeText &code);

} // namespace pygpu
