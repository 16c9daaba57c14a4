// Waiting by a free, which waits for the device.
#include "arrays/memory/device_idle.hpp"

#include "arrays/memory/parked.hpp"

namespace pygpu::arrays {

// cudaDeviceSynchronize is refused, and spoils the capture, while any stream of the device is being captured,
// whatever the thread's capture mode (seen with driver 580). cudaFree waits as well, and spoils none.
int wait_for_device(const Runtime &runtime, Scope &scope) {
    void *byte = nullptr;
    int status = scope(runtime.malloc(&byte, 1));
    if (status == out_of_memory) return scope(runtime.device_synchronize());
    if (!status) status = scope(runtime.free(byte));
    if (status && byte) park(Buffer::Kind::plain, byte, 1, scope.device());
    return status;
}

} // namespace pygpu::arrays
