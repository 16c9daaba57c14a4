// The list of freed ranges.
#include "host/core/freed.hpp"

#include "host/core/allocation.hpp"
#include "host/core/report.hpp"
#include "host/core/settings.hpp"

#include <algorithm>
#include <deque>
#include <mutex>

namespace pygpu::host {
namespace {

struct Range {
    const char *base;
    std::size_t size;
    std::string story;

    bool contains(const void *address) const {
        const char *at = static_cast<const char *>(address);
        return at >= base && at < base + size;
    }
};

struct Freed {
    std::mutex mutex;
    std::deque<Range> ranges; // newest first
};

constexpr std::size_t remembered = 64;

Freed &freed() {
    static Freed *all = new Freed;
    return *all;
}

} // namespace

void note_freed(const Allocation &memory) {
    std::string story = settings().strict ? story_of(memory) : std::string();
    Freed &all = freed();
    std::lock_guard lock(all.mutex);
    all.ranges.push_front({memory.base, memory.size, std::move(story)});
    if (all.ranges.size() > remembered) all.ranges.pop_back();
}

void drop_freed(const void *base) {
    Freed &all = freed();
    std::lock_guard lock(all.mutex);
    std::erase_if(all.ranges, [base](const Range &range) { return range.base == base; });
}

bool lately_freed(const void *address) {
    Freed &all = freed();
    std::lock_guard lock(all.mutex);
    return std::any_of(all.ranges.begin(), all.ranges.end(),
                       [address](const Range &range) { return range.contains(address); });
}

std::string story_of_freed(const void *address) {
    Freed &all = freed();
    std::lock_guard lock(all.mutex);
    for (const Range &range : all.ranges) {
        if (range.contains(address)) return range.story;
    }
    return "";
}

} // namespace pygpu::host
