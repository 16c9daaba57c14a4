// Pools of stream-ordered memory: what they hold, and how much of it is in use.
#pragma once

#include "base/handles.hpp"
#include "base/roster.hpp"
#include "base/status.hpp"
#include "base/types.hpp"
#include "memory/allocation.hpp"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace pygpu::host {

// Which pool of which process it is; no process for a pool of this one. Imported pools only open memory.
struct PoolOrigin {
    std::uint64_t process = 0, number = 0;

    bool operator==(const PoolOrigin &) const = default;
};

class Pool : public std::enable_shared_from_this<Pool> {
public:
    Pool(int device, bool is_default, MemoryKind kind = MemoryKind::device)
        : device(device), is_default(is_default), kind(kind), number(++last_number_) {}

    const int device; // where it isn't a device's pool, the one that was current
    const bool is_default;
    const MemoryKind kind;
    const std::uint64_t number;
    Location place{}; // as asked for
    unsigned handle_types = 0;
    PoolOrigin origin{};
    std::atomic<bool> exported{false};
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
    static inline std::atomic<std::uint64_t> last_number_{0};

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

// Whether cudaFree() and cudaFreeAsync() free it: memory of the caller's, and what an imported pool opened.
bool is_freed_by_caller(const Allocation &memory);

// Memory was freed: its pool, if it has one, has fewer bytes in use.
void return_to_pool(const Allocation &memory);

// The handle by which C knows a pool, made on first use.
void *handle_of(const std::shared_ptr<Pool> &pool);

} // namespace pygpu::host
