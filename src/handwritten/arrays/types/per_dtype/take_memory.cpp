// Taking memory from the pool and waiting until it is free on every stream.
#include "arrays/types/per_dtype/take_memory.hpp"

#include "arrays/memory/allocate.hpp"
#include "python/gil.hpp"

namespace pygpu::arrays {

int take_memory(const Runtime &runtime, std::size_t size, Retained<Buffer> &result) {
    Retained<Buffer> buffer;
    int status = try_allocate(runtime, size, {}, buffer);
    // The pool may reuse memory on which earlier work is still queued on the default stream.
    if (!status && buffer->pointer && buffer->kind == Buffer::Kind::pool) {
        GilReleased released(true);
        Scope scope(runtime, buffer->device);
        status = scope.status();
        if (!status) status = scope(runtime.stream_synchronize(buffer->home()));
    }
    if (!status) result = std::move(buffer);
    return status;
}

} // namespace pygpu::arrays
