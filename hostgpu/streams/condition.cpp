// Conditions and their handles.
#include "streams/condition.hpp"

#include "base/handles.hpp"

#include <mutex>
#include <unordered_map>

namespace pygpu::host {
namespace {

// The live conditions. Graphs and executable ones keep them, so that kernels find them as long as any runs.
struct Conditions {
    std::mutex mutex;
    std::unordered_map<std::uint64_t, std::weak_ptr<Condition>> all;
};

Conditions &conditions() {
    static auto *instance = new Conditions;
    return *instance;
}

} // namespace

Condition::Condition(unsigned first, bool assigned)
    : first(first), assigned(assigned), handle(reinterpret_cast<std::uint64_t>(mint_handle())) {}

Condition::~Condition() {
    std::lock_guard lock(conditions().mutex);
    conditions().all.erase(handle);
}

std::shared_ptr<Condition> make_condition(unsigned first, bool assigned) {
    auto condition = std::make_shared<Condition>(first, assigned);
    std::lock_guard lock(conditions().mutex);
    conditions().all[condition->handle] = condition;
    return condition;
}

std::shared_ptr<Condition> condition_of(std::uint64_t handle) {
    std::lock_guard lock(conditions().mutex);
    const auto entry = conditions().all.find(handle);
    return entry == conditions().all.end() ? nullptr : entry->second.lock();
}

} // namespace pygpu::host
