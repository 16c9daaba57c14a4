// Handles: addresses that stand for objects, never reused, so that a stale one is always recognised.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pygpu::host {

// The next address in a range that nobody can read.
void *mint_handle();

template <class Object> class Handles {
public:
    void *add(std::shared_ptr<Object> object) {
        std::lock_guard lock(mutex_);
        for (;;) {
            void *handle = mint_handle();
            if (objects_.emplace(handle, object).second)
                return handle; // else it is in use: the range has wrapped around
        }
    }
    // Null for what isn't a handle, or isn't one any more.
    std::shared_ptr<Object> find(const void *handle) const {
        std::lock_guard lock(mutex_);
        const auto entry = objects_.find(handle);
        return entry == objects_.end() ? nullptr : entry->second;
    }
    std::shared_ptr<Object> remove(const void *handle) {
        std::lock_guard lock(mutex_);
        const auto entry = objects_.find(handle);
        if (entry == objects_.end()) return nullptr;
        std::shared_ptr<Object> object = std::move(entry->second);
        objects_.erase(entry);
        return object;
    }
    std::vector<std::pair<const void *, std::shared_ptr<Object>>> all() const {
        std::lock_guard lock(mutex_);
        return {objects_.begin(), objects_.end()};
    }

private:
    mutable std::mutex mutex_;
    std::unordered_map<const void *, std::shared_ptr<Object>> objects_;
};

} // namespace pygpu::host
