// The values of a call in a record: a letter for the kind of each, then its bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace pygpu::trace {

// Python's reader has the same letters: python/PyGPU/_trace/spool.py.
class Items {
public:
    Items() = default; // takes nothing
    Items(std::byte *begin, std::byte *end) : at_(begin), end_(end) {}

    void add_signed(std::int64_t value) { add('i', &value, sizeof value); }
    void add_unsigned(std::uint64_t value) { add('u', &value, sizeof value); }
    void add_address(const void *address) { add('p', &address, sizeof address); }
    void add_real(double value) { add('d', &value, sizeof value); }
    void add_count(std::uint64_t count) { add('c', &count, sizeof count); } // of a sequence's items
    void add_none() { add('n', nullptr, 0); }
    void add_unknown() { add('?', nullptr, 0); }
    void add_text(std::string_view text) { add_sized('t', text.data(), std::min(text.size(), most_text)); }
    void add_text(const char *text) { text ? add_text(std::string_view(text)) : add_none(); }
    // A struct's bytes. A large one is left out: half of it can't be read.
    void add_struct(const void *bytes, std::size_t size) {
        size <= most_struct ? add_sized('s', bytes, size) : add_unknown();
    }

    // Bytes of any size, as far as there is room.
    void add_bytes(const void *bytes, std::size_t size) {
        size <= UINT16_MAX ? add_sized('s', bytes, size) : add_unknown();
    }

    std::byte *at() const { return at_; }

private:
    static constexpr std::size_t most_text = 256, most_struct = 512;

    void add_sized(char kind, const void *bytes, std::size_t size) {
        const auto length = static_cast<std::uint16_t>(size);
        if (room() < 1 + sizeof length + size) return;
        add(kind, &length, sizeof length);
        put(bytes, size);
    }
    void add(char kind, const void *bytes, std::size_t size) {
        if (room() < 1 + size) return;
        *at_++ = static_cast<std::byte>(kind);
        put(bytes, size);
    }
    void put(const void *bytes, std::size_t size) {
        if (size) std::memcpy(at_, bytes, size);
        at_ += size;
    }
    std::size_t room() const { return static_cast<std::size_t>(end_ - at_); }

    std::byte *at_ = nullptr, *end_ = nullptr;
};

} // namespace pygpu::trace
