// Waiting by a free, which waits for the device.
#include "arrays/memory/device_idle.hpp"

#include "arrays/memory/deferred_free.hpp"
#include "arrays/memory/pools.hpp"
#include "python/lock.hpp"
#include "runtime/generation.hpp"

#include <mutex>
#include <utility>

namespace pygpu::arrays {
namespace {

// A byte of a device's, to be freed.
struct Spare {
    std::mutex mutex;
    DeviceGeneration generation;
    void *byte = nullptr;
};

Spare &spare_on(int device) {
    static auto *spares = new Spare[most_devices]; // outlives every static destructor
    return spares[device & (most_devices - 1)];
}

void *take_spare(int device) {
    Spare &spare = spare_on(device);
    const Lock lock(spare.mutex);
    void *byte = std::exchange(spare.byte, nullptr);
    return spare.generation == generation_of(device) ? byte : nullptr; // of before a reset: gone
}

bool has_spare(const Spare &spare, const DeviceGeneration &now) {
    return spare.byte && spare.generation == now;
}

} // namespace

void reserve_waiting(const Runtime &runtime, Scope &scope) {
    if (in_child()) return;
    Spare &spare = spare_on(scope.device());
    const DeviceGeneration now = generation_of(scope.device());
    {
        const Lock lock(spare.mutex);
        if (has_spare(spare, now)) return;
    }
    void *byte = nullptr;
    if (scope(runtime.malloc(&byte, 1))) return;
    {
        const Lock lock(spare.mutex);
        if (!has_spare(spare, now)) {
            spare.generation = now;
            std::swap(spare.byte, byte);
            return; // what was there ended with a reset
        }
    }
    defer_free(Buffer::Kind::plain, byte, 1, scope.device()); // another thread was quicker
}

// cudaDeviceSynchronize is refused, and spoils the capture, while any stream of the device is being captured,
// whatever the thread's capture mode (seen with driver 580). cudaFree waits as well, and spoils none.
int wait_for_device(const Runtime &runtime, Scope &scope) {
    void *byte = in_child() ? nullptr : take_spare(scope.device());
    int status = byte ? success : scope(runtime.malloc(&byte, 1));
    const Pool pool = status == out_of_memory ? pool_of(runtime, scope) : nullptr;
    if (pool && !scope(runtime.pool_trim(pool, 0))) status = scope(runtime.malloc(&byte, 1));
    if (status) return status;
    status = scope(runtime.free(byte));
    if (status) defer_free(Buffer::Kind::plain, byte, 1, scope.device());
    return status;
}

} // namespace pygpu::arrays
