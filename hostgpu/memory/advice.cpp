// The map of page runs: all pages of a run have the same advice.
#include "memory/advice.hpp"

#include "memory/side_table.hpp"

#include <iterator>
#include <unistd.h>

namespace pygpu::host {

std::size_t AdvisedPages::page() {
    static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return size;
}

AdvisedPages::Runs::iterator AdvisedPages::from(std::size_t page) {
    const auto before = std::prev(pages_.upper_bound(page));
    return before->first == page ? before : pages_.emplace(page, before->second).first;
}

void AdvisedPages::join(Runs::iterator at, Runs::iterator end) {
    for (auto next = std::next(at); next != pages_.end(); next = std::next(at)) {
        const bool last = next == end;
        if (next->second == at->second)
            pages_.erase(next);
        else
            at = next;
        if (last) return;
    }
}

std::shared_ptr<AdvisedPages> advised_pages_of(const Allocation &memory) {
    static auto *table = new SideTable<AdvisedPages>;
    const auto known = table->find(memory);
    return known ? known : table->set(memory, std::make_shared<AdvisedPages>());
}

} // namespace pygpu::host
