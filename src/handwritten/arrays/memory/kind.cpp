// The call that frees memory of each kind.
#include "arrays/memory/kind.hpp"

#include "arrays/memory/page_lock.hpp"

namespace pygpu::arrays {

// Memory of a pool goes back by free_async(): a pool counts memory as used for good that cudaFree has freed
// (seen with driver 580).
int free_idle(const Runtime &runtime, Scope &scope, MemoryKind kind, void *pointer) {
    if (kind == MemoryKind::pinned) return unlock_pages(runtime, scope, pointer);
    return scope(kind == MemoryKind::pool ? runtime.free_async(pointer, nullptr) : runtime.free(pointer));
}

} // namespace pygpu::arrays
