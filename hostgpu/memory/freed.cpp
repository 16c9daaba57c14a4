// The list of freed ranges.
#include "memory/freed.hpp"

#include "base/caught.hpp"

#include <algorithm>
#include <array>
#include <mutex>

namespace pygpu::host {
namespace {

struct Range {
    const char *base = nullptr;
    std::size_t size = 0;

    bool contains(const void *address) const {
        const char *at = static_cast<const char *>(address);
        return static_cast<std::size_t>(at - base) < size;
    }
};

struct FreedRanges {
    std::mutex mutex;
    std::array<Range, 256> ranges; // a ring; `records` has the same indices
    std::array<FreedRecord, 256> records;
    std::size_t next = 0;
};

FreedRanges &freed() {
    static FreedRanges *all = new FreedRanges;
    return *all;
}

} // namespace

void note_freed(const void *base, std::size_t size, FreedRecord record) noexcept {
    caught([&] {
        FreedRanges &all = freed();
        std::lock_guard lock(all.mutex);
        const std::size_t slot = all.next++ % all.ranges.size();
        all.ranges[slot] = {static_cast<const char *>(base), size};
        all.records[slot] = std::move(record);
        return Status::success;
    });
}

void drop_freed(const void *base) noexcept {
    FreedRanges &all = freed();
    std::lock_guard lock(all.mutex);
    for (Range &range : all.ranges) {
        if (range.base == base) range = {};
    }
}

bool lately_freed(const void *address) {
    FreedRanges &all = freed();
    std::lock_guard lock(all.mutex);
    return std::ranges::any_of(all.ranges, [=](const Range &range) { return range.contains(address); });
}

std::string FreedRecord::text() const {
    return piece.empty() ? "" : piece + "\n    freed by " + by + (at.empty() ? "" : " at " + at);
}

FreedRecord record_of_freed(const void *address) {
    FreedRanges &all = freed();
    std::lock_guard lock(all.mutex);
    for (std::size_t back = 1; back <= all.ranges.size(); ++back) { // the newest first
        const std::size_t slot = (all.next - back) % all.ranges.size();
        if (all.ranges[slot].contains(address)) return all.records[slot];
    }
    return {};
}

} // namespace pygpu::host
