// An array whose size is given once, and which needs no allocation while it is short.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace pygpu {

// Elements never move, so that C may be given their addresses.
template <class T, std::size_t most_inside> class ShortArray {
public:
    ShortArray() {} // leaves the memory uninitialised
    ShortArray(const ShortArray &) = delete;
    ShortArray &operator=(const ShortArray &) = delete;
    ~ShortArray() { std::destroy_n(data(), count_); }

    // Makes room for `count` elements; called once, before the first is added.
    void reserve(std::size_t count) {
        if (count > most_inside) outside_ = std::make_unique_for_overwrite<Bytes[]>(count);
    }
    template <class... Values> T &add(Values &&...values) {
        return *new (data() + count_++) T(std::forward<Values>(values)...);
    }
    void drop_last() { std::destroy_at(data() + --count_); }

    T *data() { return reinterpret_cast<T *>(outside_ ? outside_.get() : inside_); }
    const T *data() const { return reinterpret_cast<const T *>(outside_ ? outside_.get() : inside_); }
    std::span<T> all() { return {data(), count_}; }
    std::span<const T> all() const { return {data(), count_}; }

private:
    struct alignas(T) Bytes {
        std::byte bytes[sizeof(T)];
    };

    std::size_t count_ = 0;
    Bytes inside_[most_inside];
    std::unique_ptr<Bytes[]> outside_;
};

} // namespace pygpu
