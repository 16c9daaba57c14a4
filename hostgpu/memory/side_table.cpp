// The list of tables.
#include "memory/side_table.hpp"

namespace pygpu::host {
namespace {

std::atomic<SideTables *> &first_table() {
    static std::atomic<SideTables *> first{nullptr};
    return first;
}

} // namespace

SideTables::SideTables() {
    next_ = first_table().load();
    while (!first_table().compare_exchange_weak(next_, this)) {
    }
}

void SideTables::drop(Allocation &memory) noexcept {
    for (SideTables *one = first_table().load(std::memory_order_acquire); one; one = one->next_)
        one->remove(memory);
}

} // namespace pygpu::host
