// Handles: addresses that stand for objects, never reused, so that a stale one is always recognised.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace pygpu::host {

// An address of its own, in a range that nobody can read.
void *mint_handle();

template <class Object> class Handles {
public:
    void *add(std::shared_ptr<Object> object) {
        void *handle = mint_handle();
        std::lock_guard lock(mutex_);
        objects_.emplace(handle, std::move(object));
        return handle;
    }
    // Null for what is no handle, or no longer.
    std::shared_ptr<Object> find(const void *handle) const {
        std::lock_guard lock(mutex_);
        const auto found = objects_.find(handle);
        return found == objects_.end() ? nullptr : found->second;
    }
    std::shared_ptr<Object> remove(const void *handle) {
        std::lock_guard lock(mutex_);
        const auto found = objects_.find(handle);
        if (found == objects_.end()) return nullptr;
        std::shared_ptr<Object> object = std::move(found->second);
        objects_.erase(found);
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
