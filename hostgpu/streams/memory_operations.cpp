// Running operations on memory. Anybody may write what a wait is for: a kernel, the host, another process. So
// waits look at it again and again, ever more rarely; a write of a stream wakes them.
#include "streams/memory_operations.hpp"

#include "streams/patience.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace pygpu::host {
namespace {

constexpr std::chrono::microseconds first_pause{20}, longest_pause{1000};

struct Writes {
    std::mutex mutex;
    std::condition_variable done;
};

Writes &stream_writes() {
    static auto *all = new Writes; // never destroyed: threads outlive main
    return *all;
}

std::uint64_t value_in_memory(const MemoryOperation &one) {
    if (one.bytes() == 4) return __atomic_load_n(static_cast<std::uint32_t *>(one.address), __ATOMIC_ACQUIRE);
    return __atomic_load_n(static_cast<std::uint64_t *>(one.address), __ATOMIC_ACQUIRE);
}

// The manuals of cuStreamWaitValue32() and hipStreamWaitValue32().
bool is_reached(const MemoryOperation &one, const Comparison &how) {
    const unsigned shift = one.bytes() == 4 ? 32 : 0; // bits beyond the value's size
    const std::uint64_t value = one.value << shift, held = (value_in_memory(one) & how.mask) << shift;
    switch (one.flags & MemoryOperation::compare_bits) {
    case MemoryOperation::at_least:
        return how.wraps ? static_cast<std::int64_t>(held - value) >= 0 : held >= value;
    case MemoryOperation::equal:
        return held == value;
    case MemoryOperation::any_bit:
        return (held & value) != 0;
    default:
        return ~(held | value) >> shift != 0;
    }
}

// False where the value didn't come.
bool wait_until_reached(const MemoryOperation &one, const Comparison &how) {
    std::chrono::microseconds pause = first_pause;
    Patience patience("a stream waits for a value");
    while (!is_reached(one, how) && !patience.is_over()) {
        park_when_ending();
        Writes &all = stream_writes();
        std::unique_lock lock(all.mutex);
        all.done.wait_for(lock, pause);
        pause = std::min(pause * 2, longest_pause);
    }
    return is_reached(one, how);
}

void write_value(const MemoryOperation &one) {
    if (one.bytes() == 4)
        __atomic_store_n(static_cast<std::uint32_t *>(one.address), static_cast<std::uint32_t>(one.value),
                         __ATOMIC_RELEASE);
    else
        __atomic_store_n(static_cast<std::uint64_t *>(one.address), one.value, __ATOMIC_RELEASE);
    stream_writes().done.notify_all();
}

} // namespace

BatchWork::BatchWork(std::vector<MemoryOperation> operations, Comparison comparison, void *context)
    : operations(std::move(operations)), context(context), comparison_(comparison) {
    task = Task::batch;
    user = true;
    this->operands.batch = types();
    stream_writes(); // running needs no memory
}

void BatchWork::run() {
    if (may_run && !may_run()) return;
    for (const MemoryOperation &one : operations) {
        if (one.waits() && !wait_until_reached(one, comparison_)) return;
        if (one.writes()) write_value(one);
        if (one.type == MemoryOperation::barrier) __atomic_thread_fence(__ATOMIC_SEQ_CST);
    }
}

std::string BatchWork::types() const {
    std::string all;
    for (const MemoryOperation &one : operations) all += static_cast<char>(one.type);
    return all;
}

} // namespace pygpu::host
