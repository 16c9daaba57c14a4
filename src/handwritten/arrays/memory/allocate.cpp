// From the small-block cache, the pool or a user's allocator; once more after freeing what nothing uses.
#include "arrays/memory/allocate.hpp"

#include "arrays/memory/allocator.hpp"
#include "arrays/memory/block_cache.hpp"
#include "arrays/memory/deferred_free.hpp"
#include "arrays/memory/device_idle.hpp"
#include "arrays/memory/pinned.hpp"
#include "arrays/memory/pools.hpp"
#include "arrays/memory/trim.hpp"
#include "arrays/streams/captures.hpp"
#include "python/exit.hpp"
#include "python/gil.hpp"
#include "python/later.hpp"
#include "runtime/api.hpp"

#include <cstdint>
#include <utility>

namespace pygpu::arrays {
namespace {

int allocate_on(const Runtime &runtime, Scope &scope, std::size_t size, Stream stream, void *&pointer,
                MemoryKind &kind) {
    if (scope.status()) return scope.status();
    bool capturing = false; // pool memory from a captured stream would belong to the graph
    if (const int status = ask_capturing(runtime, scope, stream, capturing)) return status;
    reserve_waiting(runtime, scope);
    if (const Pool pool = capturing ? nullptr : pool_of(runtime, scope)) {
        kind = MemoryKind::pool;
        return scope(runtime.malloc_from_pool(&pointer, size, pool, stream));
    }
    kind = MemoryKind::plain;
    return scope(runtime.malloc(&pointer, size));
}

// Returns "out of memory" if the host has no memory for the buffer object.
int retain_new(const Runtime &runtime, Retained<Buffer> &&buffer, Retained<Buffer> &result) {
    if (!buffer) PyErr_Clear();
    result = std::move(buffer);
    return result ? success : runtime.codes.out_of_memory;
}

// Tries again after "out of memory". First collects garbage; the second attempt frees what is cached.
template <class Attempt> int with_retry(const Runtime &runtime, Attempt attempt) {
    const int status = attempt(false);
    if (status != runtime.codes.out_of_memory || inside_callback()) return status;
    PyGC_Collect();
    return attempt(true);
}

// Null if there is no such block, or if the memory would belong to a graph.
void *take_cached(const Runtime &runtime, Scope &scope, const StreamArgument &home, std::size_t size) {
    bool capturing = false;
    if (!caches_blocks(runtime, home.stream, home.owner, scope.device()) ||
        ask_capturing(runtime, scope, home.stream, capturing) || capturing)
        return nullptr;
    return take_block(scope.device(), home.owner, size);
}

// From a user's pool, in the order of a stream of its device. During a capture it would belong to the graph.
Retained<Buffer> allocate_from(const Runtime &runtime, const char *call, const UserPool &pool,
                               PyObject *owner, std::size_t size, const StreamArgument &stream) {
    if (has_postponed()) do_postponed();
    Reference kept = Reference::borrow(owner);
    const StreamArgument home = stream_on(stream, pool.device);
    void *pointer = nullptr;
    const int status = with_retry(runtime, [&](bool again) {
        GilReleased released(true);
        Scope scope(runtime, pool.device);
        if (scope.status()) return scope.status();
        if (again && !give_all_back(runtime, scope)) return runtime.codes.out_of_memory;
        bool capturing = false;
        if (const int asked = ask_capturing(runtime, scope, home.stream, capturing)) return asked;
        if (capturing) return runtime.codes.capture_unsupported;
        return scope(runtime.malloc_from_pool(&pointer, size, pool.pool, home.stream));
    });
    if (!status)
        return Buffer::make(runtime, MemoryKind::pool, pointer, size, pool.device, home, std::move(kept));
    raise_status(runtime, status, "%s: %zu bytes asked of a memory pool of device %d", call, size,
                 pool.device);
    return {};
}

} // namespace

int try_allocate(const Runtime &runtime, std::size_t size, const StreamArgument &stream,
                 Retained<Buffer> &result) {
    if (has_postponed()) do_postponed();
    void *pointer = nullptr;
    MemoryKind kind = MemoryKind::pool;
    StreamArgument home;
    int status = success, device = 0;
    if (size && has_cached_blocks()) {
        Scope scope(runtime, Scope::current, Scope::Calls::allowed);
        device = scope.device();
        home = stream_on(stream, device);
        if (!scope.status() && !much_is_deferred(device)) pointer = take_cached(runtime, scope, home, size);
    }
    if (!pointer) {
        status = with_retry(runtime, [&](bool again) {
            GilReleased released(true);
            Scope scope(runtime);
            if (scope.status()) return scope.status();
            device = scope.device();
            home = stream_on(stream, device);
            // During a capture, the pool's pieces would only be deferred again, after a wait in each
            // allocation.
            if (much_is_deferred(device) && !refuse_capture(runtime, scope, nullptr))
                free_deferred(runtime, scope);
            if (again && !give_all_back(runtime, scope)) return runtime.codes.out_of_memory;
            return size ? allocate_on(runtime, scope, size, home.stream, pointer, kind) : success;
        });
    }
    return status ? status
                  : retain_new(runtime, Buffer::make(runtime, kind, pointer, size, device, home), result);
}

PyObject *raise_allocation(const Runtime &runtime, int status, const char *call, std::size_t size) {
    std::size_t free = 0, total = 0;
    std::uint64_t used = 0, reserved = 0;
    int device = 0;
    if (status == runtime.codes.out_of_memory) {
        GilReleased released(true);
        Scope scope(runtime);
        device = scope.device();
        scope(runtime.memory_info(&free, &total));
        pool_usage(runtime, scope, used, reserved);
    }
    if (status != runtime.codes.out_of_memory)
        return raise_status(runtime, status, "%s: allocating %zu bytes", call, size);
    return raise_status(runtime, status,
                        "%s: %zu bytes asked for on device %d; %zu free of %zu, %zu more unused in PyGPU's "
                        "pool, %zu waiting to be freed",
                        call, size, device, free, total, static_cast<std::size_t>(reserved - used),
                        deferred_bytes(device));
}

Retained<Buffer> allocate(const Runtime &runtime, const char *call, std::size_t size,
                          const StreamArgument &stream, PyObject *allocator) {
    if (!allocator) allocator = default_allocator();
    if (UserPool pool; allocator && size && load_pool(allocator, pool))
        return allocate_from(runtime, call, pool, allocator, size, stream);
    if (PyErr_Occurred()) return {};
    if (allocator && size) return allocate_with(runtime, call, allocator, size, stream);
    Retained<Buffer> result;
    if (const int status = try_allocate(runtime, size, stream, result))
        raise_allocation(runtime, status, call, size);
    return result;
}

int try_allocate_host(const Runtime &runtime, std::size_t size, MemoryKind kind, Retained<Buffer> &result) {
    if (has_postponed()) do_postponed();
    void *pointer = nullptr;
    int device = 0;
    const int status = with_retry(runtime, [&](bool again) {
        GilReleased released(true);
        Scope scope(runtime);
        if (scope.status()) return scope.status();
        device = scope.device();
        if (again && !give_all_back(runtime, scope)) return runtime.codes.out_of_memory;
        if (!size) return success;
        return kind == MemoryKind::pinned ? take_pinned(runtime, scope, size, pointer)
                                          : scope(runtime.malloc_managed(&pointer, size));
    });
    return status ? status : retain_new(runtime, Buffer::make(runtime, kind, pointer, size, device), result);
}

Retained<Buffer> allocate_host(const Runtime &runtime, const char *call, std::size_t size, MemoryKind kind) {
    Retained<Buffer> result;
    if (const int status = try_allocate_host(runtime, size, kind, result))
        raise_status(runtime, status, "%s: %zu bytes of %s memory asked for", call, size,
                     kind == MemoryKind::pinned ? "page-locked" : "managed");
    return result;
}

} // namespace pygpu::arrays
