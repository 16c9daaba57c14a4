// What advice and prefetches said of managed memory, page by page.
#pragma once

#include "host/api/types.hpp"

#include <cstddef>
#include <map>
#include <mutex>
#include <set>

namespace pygpu::host {

// Of a page. A location of type no_location is none.
struct Advice {
    bool read_mostly = false;
    bool coarse_grain = false; // HIP's
    Location preferred{}, prefetched{};
    std::set<int> accessed_by{}; // devices; -1 is the host

    bool operator==(const Advice &) const = default;
};

class AdvisedPages {
public:
    // Changes what is said of all pages that have any of the bytes from `begin` to `end`.
    template <class Change> void change(std::size_t begin, std::size_t end, Change change) {
        std::lock_guard lock(mutex_);
        const auto first = from(begin / page()), last = from((end + page() - 1) / page());
        for (auto at = first; at != last; ++at) change(at->second);
        join(first == pages_.begin() ? first : std::prev(first), last);
    }

    // Calls look(advice) for each run of these pages about which the same is said.
    template <class Look> void each(std::size_t begin, std::size_t end, Look look) const {
        std::lock_guard lock(mutex_);
        auto at = std::prev(pages_.upper_bound(begin / page()));
        for (; at != pages_.end() && at->first * page() < end; ++at) look(at->second);
    }

private:
    using Runs = std::map<std::size_t, Advice>; // by first page; each goes on to the next

    static std::size_t page();
    Runs::iterator from(std::size_t page);            // the run that begins there, made where there is none
    void join(Runs::iterator at, Runs::iterator end); // runs that say the same, `end` included

    mutable std::mutex mutex_;
    Runs pages_{{0, {}}};
};

} // namespace pygpu::host
