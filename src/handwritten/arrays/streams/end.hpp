// The end of a stream or an event with the object that owns it.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"
#include "python/finaliser.hpp"
#include "runtime/generation.hpp"

namespace pygpu::arrays {

// Destroys what was made in this generation of its device; what a fork or a reset ended is forgotten. For
// finalisers: GIL held, released meanwhile.
inline void end_with_owner(const Runtime &runtime, int (*destroy)(void *), void *handle, int device,
                           DeviceGeneration generation) {
    finalise([&runtime, destroy, handle, device, generation] {
        if (generation != generation_of(device)) return;
        GilReleased released(true);
        Scope scope(runtime, device);
        if (!scope.status()) scope(destroy(handle));
    });
}

} // namespace pygpu::arrays
