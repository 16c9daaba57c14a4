// Going through the caches, the ring, the deferred memory and the pool.
#include "arrays/memory/trim.hpp"

#include "arrays/memory/block_cache.hpp"
#include "arrays/memory/deferred_free.hpp"
#include "arrays/memory/device_idle.hpp"
#include "arrays/memory/huge_pages.hpp"
#include "arrays/memory/pinned.hpp"
#include "arrays/memory/pools.hpp"
#include "arrays/memory/upload_ring.hpp"
#include "arrays/streams/captures.hpp"
#include "arrays/streams/event_pool.hpp"
#include "runtime/generation.hpp"

#include <vector>

namespace pygpu::arrays {

int free_deferred(const Runtime &runtime, Scope &scope) {
    if (scope.status()) return scope.status();
    if (in_child()) return wait_for_device(runtime, scope);
    const int device = scope.device();
    const DeviceGeneration now = generation_of(device);
    // Taken before the wait, which doesn't cover what other threads defer meanwhile.
    const std::vector<DeferredPiece> pieces = take_deferred(device);
    const int status = wait_for_device(runtime, scope);
    const bool refused =
        refuse_capture(runtime, scope, nullptr); // the pool's pieces are freed on this stream
    for (const DeferredPiece &piece : pieces) {
        if (now != generation_of(device)) { // a reset in another thread ended them
            piece.forget();
            continue;
        }
        const bool later = status || (piece.kind == MemoryKind::pool && refused);
        if (later || free_idle(runtime, scope, piece.kind, piece.pointer))
            defer_free(piece.kind, piece.pointer, piece.size, device);
    }
    return status;
}

int trim(const Runtime &runtime, Scope &scope, std::size_t keep) {
    int status = free_cached_blocks(runtime, scope);
    const int deferred = free_deferred(runtime, scope); // waits for the device
    if (!status) status = deferred;
    for (auto *give_back : {free_cached_pinned, free_upload_ring, free_cached_events}) {
        const int released = give_back(runtime, scope);
        if (!status) status = released;
    }
    free_kept_huge_pages(); // after the page-locked memory, which may have come there
    const Pool pool = pool_of(runtime, scope);
    if (pool) {
        // A pool gives memory back only after a later wait for a stream or an event (seen with driver 580).
        if (!refuse_capture(runtime, scope, nullptr)) {
            const int waited = scope(runtime.stream_synchronize(nullptr));
            if (!status) status = waited;
        }
        const int trimmed = scope(runtime.pool_trim(pool, keep));
        if (!status) status = trimmed;
    }
    return status;
}

bool give_all_back(const Runtime &runtime, Scope &scope) {
    const int trimmed = trim(runtime, scope, 0);
    // Trimming may itself run out of memory. Enough may have been given back all the same.
    return !trimmed || trimmed == runtime.codes.out_of_memory;
}

} // namespace pygpu::arrays
