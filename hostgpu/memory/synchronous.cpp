// Memory whose synchronous operations always wait.
#include "memory/synchronous.hpp"

#include "memory/side_table.hpp"

namespace pygpu::host {
namespace {

using Mark = std::atomic<bool>;

SideTable<Mark> &marks() {
    static auto *table = new SideTable<Mark>;
    return *table;
}

} // namespace

bool is_synchronous(const Allocation &memory) {
    const auto mark = marks().find(memory);
    return mark && *mark;
}

void make_synchronous(const Allocation &memory, bool always) {
    if (always || marks().find(memory)) *marks().set(memory, std::make_shared<Mark>(always)) = always;
}

} // namespace pygpu::host
