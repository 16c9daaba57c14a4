// Pools of stream-ordered memory: what they hold, and how much of it is in use.
#pragma once

#include "base/handles.hpp"
#include "base/roster.hpp"
#include "base/status.hpp"
#include "memory/allocation.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace pygpu::host {

class Pool : public std::enable_shared_from_this<Pool> {
public:
    Pool(int device, bool is_default) : device(device), is_default(is_default) {}

    const int device;
    const bool is_default;
    std::size_t max_size = 0; // 0: none
    void *handle = nullptr;

    // take() and give() count the bytes in use; take() returns false where the pool may hold no more. took()
    // is called once the device has given the memory: it updates what the pool holds.
    bool take(std::size_t size);
    void took();
    void give(std::size_t size);

    // Give unused memory back to the device: all but `keep` bytes, or all but the threshold, as synchronising
    // does.
    void trim(std::size_t keep);
    void trim_to_threshold();

    Status get(int attribute, void *value) const;
    Status set(int attribute, const void *value);

    int access(int from) const;
    void set_access(int from, int flags);

private:
    mutable std::mutex mutex_;
    std::uint64_t used_ = 0, used_high_ = 0, reserved_ = 0, reserved_high_ = 0, threshold_ = 0;
    int reuse_[3] = {1, 1, 1};
    std::map<int, int> access_;

public:
    Roster<Pool>::Member member{*this}; // of its device
};

Handles<Pool> &pools();

// The pool that memory is from, or null; and putting new memory down as its pool's.
std::shared_ptr<Pool> pool_of(const Allocation &memory);
void set_pool(const Allocation &memory, std::shared_ptr<Pool> pool);

// Memory was freed: its pool, if it has one, has fewer bytes in use.
void return_to_pool(const Allocation &memory);

// The handle by which C knows a pool, made on first use.
void *handle_of(const std::shared_ptr<Pool> &pool);

} // namespace pygpu::host
