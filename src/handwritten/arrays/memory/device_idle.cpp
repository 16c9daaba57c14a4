// Waits for the device by cudaFree of one byte: cudaDeviceSynchronize would break a capture.
#include "arrays/memory/device_idle.hpp"

#include "arrays/memory/deferred_free.hpp"
#include "arrays/memory/pools.hpp"
#include "runtime/device_state.hpp"

#include <utility>

namespace pygpu::arrays {
namespace {

// A byte of device memory that is kept in order to free it.
struct Spare {
    void *byte = nullptr;

    void forget() { byte = nullptr; }
};

} // namespace

void reserve_waiting(const Runtime &runtime, Scope &scope) {
    if (in_child()) return;
    const DeviceGeneration now = generation_of(scope.device());
    if (DeviceState<Spare>(scope.device())->byte) return;
    void *byte = nullptr;
    if (scope(runtime.malloc(&byte, 1))) return;
    {
        const DeviceState<Spare> spare(scope.device());
        if (spare.generation() != now) return; // it ended with a reset
        if (!spare->byte) std::swap(spare->byte, byte);
    }
    if (byte) defer_free(MemoryKind::plain, byte, 1, scope.device()); // another thread was quicker
}

// While any stream of the device is being captured, cudaDeviceSynchronize fails and breaks the capture, in
// any capture mode of the thread (seen with driver 580). cudaFree waits as well, and breaks no capture.
int wait_for_device(const Runtime &runtime, Scope &scope) {
    void *byte = in_child() ? nullptr : std::exchange(DeviceState<Spare>(scope.device())->byte, nullptr);
    int status = byte ? success : scope(runtime.malloc(&byte, 1));
    const Pool pool = status == runtime.codes.out_of_memory ? pool_of(runtime, scope) : nullptr;
    if (pool && !scope(runtime.pool_trim(pool, 0))) status = scope(runtime.malloc(&byte, 1));
    if (status) return status;
    status = scope(runtime.free(byte));
    if (status) defer_free(MemoryKind::plain, byte, 1, scope.device());
    return status;
}

} // namespace pygpu::arrays
