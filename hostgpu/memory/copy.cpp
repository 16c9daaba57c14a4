// memcpy and memset, row by row and in parallel.
#include "memory/copy.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <thread>
#include <vector>

namespace pygpu::host {
namespace {

constexpr std::size_t parallel_from = std::size_t{16}
                                      << 20; // below, starting threads costs more than it saves
constexpr std::size_t share = std::size_t{4} << 20;

std::size_t threads_for(std::size_t bytes) {
    static const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    return bytes < parallel_from ? 1 : std::min({cores, bytes / share, std::size_t{8}});
}

// Calls body(first, last) over parts of 0..count, the last part on this thread.
template <class Body> void in_parts(std::size_t count, std::size_t parts, const Body &body) {
    if (parts <= 1 || count < parts) return body(0, count);
    std::vector<std::thread> helpers;
    const std::size_t each = count / parts;
    std::size_t first = 0;
    try {
        helpers.reserve(parts);
        for (; helpers.size() + 1 < parts; first += each)
            helpers.emplace_back([&body, first, each] { body(first, first + each); });
    } catch (const std::exception &) {
        // No more threads, or no memory for them: this thread does the rest.
    }
    body(first, count);
    for (std::thread &helper : helpers) helper.join();
}

template <class Row> void over_rows(const Size &size, std::size_t parts, const Row &row) {
    in_parts(size.height * size.depth, parts, [&](std::size_t first, std::size_t last) {
        for (std::size_t at = first; at < last; ++at) row(at % size.height, at / size.height);
    });
}

template <class Element> void fill(char *to, std::size_t bytes, unsigned value) {
    auto *elements = reinterpret_cast<Element *>(to);
    std::fill(elements, elements + bytes / sizeof(Element), static_cast<Element>(value));
}

void set_bytes(char *to, std::size_t bytes, unsigned value, unsigned element) {
    if (element == 4)
        fill<std::uint32_t>(to, bytes, value);
    else if (element == 2)
        fill<std::uint16_t>(to, bytes, value);
    else
        std::memset(to, static_cast<int>(value), bytes);
}

bool is_dense(const StridedBlock &block, const Size &size) {
    return (size.height == 1 || block.pitch == size.width) &&
           (size.depth == 1 || block.slice == size.width * size.height);
}

} // namespace

std::size_t span_of(const StridedBlock &block, const Size &size) {
    if (size.empty()) return 0;
    const auto slices = CheckedInt(size.depth - 1) * block.slice,
               rows = CheckedInt(size.height - 1) * block.pitch;
    return (slices + rows + size.width).saturated();
}

void move_bytes(void *to, const void *from, std::size_t count) {
    const std::size_t parts = threads_for(count);
    if (parts == 1) {
        std::memmove(to, from, count);
        return;
    }
    auto *out = static_cast<char *>(to);
    const auto *in = static_cast<const char *>(from);
    if (in < out + count && out < in + count) {
        std::memmove(to, from, count);
        return;
    }
    in_parts(count, parts, [&](std::size_t first, std::size_t last) {
        std::memcpy(out + first, in + first, last - first);
    });
}

void move_block(const StridedBlock &to, const StridedBlock &from, const Size &size) {
    if (size.empty()) return;
    const std::size_t bytes = size.bytes().saturated(); // transfer() has checked that it fits
    if (is_dense(to, size) && is_dense(from, size)) return move_bytes(to.base, from.base, bytes);
    over_rows(size, threads_for(bytes), [&](std::size_t y, std::size_t z) {
        std::memmove(to.base + z * to.slice + y * to.pitch, from.base + z * from.slice + y * from.pitch,
                     size.width);
    });
}

void set_block(const StridedBlock &to, const Size &size, unsigned value, unsigned element) {
    if (size.empty()) return;
    const std::size_t bytes = size.bytes().saturated(); // transfer() has checked that it fits
    const std::size_t parts = threads_for(bytes);
    if (is_dense(to, size)) {
        return in_parts(bytes / element, parts, [&](std::size_t first, std::size_t last) {
            set_bytes(to.base + first * element, (last - first) * element, value, element);
        });
    }
    over_rows(size, parts, [&](std::size_t y, std::size_t z) {
        set_bytes(to.base + z * to.slice + y * to.pitch, size.width, value, element);
    });
}

} // namespace pygpu::host
