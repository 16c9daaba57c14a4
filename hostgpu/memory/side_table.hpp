// What only some allocations have, kept beside them: a table for each such thing.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace pygpu::host {

struct Allocation;

// All tables: none is ever destroyed.
class SideTables {
public:
    // An allocation is being destroyed: it leaves all tables.
    static void drop(Allocation &memory) noexcept;

    SideTables(const SideTables &) = delete;
    SideTables &operator=(const SideTables &) = delete;

protected:
    SideTables();
    ~SideTables() = default;

private:
    virtual void remove(Allocation &memory) noexcept = 0;

    SideTables *next_ = nullptr;
};

// A value with a function end(Allocation &) has it called when its allocation is destroyed.
template <class Value> class SideTable final : public SideTables {
public:
    // Null for memory that has none.
    std::shared_ptr<Value> find(const Allocation &memory) const {
        if (!count_.load(std::memory_order_acquire)) return nullptr;
        std::lock_guard lock(mutex_);
        const auto at = values_.find(&memory);
        return at == values_.end() ? nullptr : at->second;
    }

    // The value of the memory, which gets `value` if it has none.
    std::shared_ptr<Value> set(const Allocation &memory, std::shared_ptr<Value> value) {
        std::lock_guard lock(mutex_);
        const auto [at, is_new] = values_.try_emplace(&memory, std::move(value));
        if (is_new) count_.fetch_add(1, std::memory_order_release);
        return at->second;
    }

private:
    void remove(Allocation &memory) noexcept override {
        if (!count_.load(std::memory_order_acquire)) return;
        std::shared_ptr<Value> value;
        {
            std::lock_guard lock(mutex_);
            const auto at = values_.find(&memory);
            if (at == values_.end()) return;
            value = std::move(at->second);
            values_.erase(at);
            count_.fetch_sub(1, std::memory_order_release);
        }
        if constexpr (requires { value->end(memory); }) value->end(memory);
    }

    mutable std::mutex mutex_;
    std::unordered_map<const Allocation *, std::shared_ptr<Value>> values_;
    std::atomic<std::size_t> count_{0}; // for a look without the lock
};

} // namespace pygpu::host
