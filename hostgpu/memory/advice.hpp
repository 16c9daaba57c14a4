// The advice and the prefetches that managed memory was given, page by page.
#pragma once

#include "base/types.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <set>

namespace pygpu::host {

struct Allocation;

// The advice of a page. A location of type no_location means that there is none.
struct Advice {
    bool read_mostly = false;
    bool coarse_grain = false; // HIP alone has it
    Location preferred{}, prefetched{};
    std::set<int> accessed_by{}; // devices; -1 is the host

    bool operator==(const Advice &) const = default;
};

class AdvisedPages {
public:
    // Changes the advice of all pages that hold any byte from `begin` to `end`.
    template <class Change> void change(std::size_t begin, std::size_t end, Change change) {
        std::lock_guard lock(mutex_);
        const auto first = from(begin / page()), last = from((end + page() - 1) / page());
        for (auto at = first; at != last; ++at) change(at->second);
        join(first == pages_.begin() ? first : std::prev(first), last);
    }

    // Calls look(advice) for each run of pages with the same advice in that range.
    template <class Look> void each(std::size_t begin, std::size_t end, Look look) const {
        std::lock_guard lock(mutex_);
        auto at = std::prev(pages_.upper_bound(begin / page()));
        for (; at != pages_.end() && at->first * page() < end; ++at) look(at->second);
    }

private:
    using Runs = std::map<std::size_t, Advice>; // by first page; a run ends where the next one starts

    static std::size_t page();
    Runs::iterator from(std::size_t page);            // the run that starts there; it splits one if needed
    void join(Runs::iterator at, Runs::iterator end); // merges runs of equal advice, `end` included

    mutable std::mutex mutex_;
    Runs pages_{{0, {}}};
};

// Of managed memory.
std::shared_ptr<AdvisedPages> advised_pages_of(const Allocation &memory);

} // namespace pygpu::host
