// Destroying a stream or an event when the object that owns it ends.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"
#include "python/finaliser.hpp"
#include "runtime/generation.hpp"

namespace pygpu::arrays {

// Destroys a handle that was made in this generation of its device. If a fork or a reset has ended it, does
// nothing. For finalisers: with the GIL, which is released meanwhile.
inline void end_with_owner(const Runtime &runtime, int (*destroy)(void *), void *handle, int device,
                           DeviceGeneration generation) {
    finalise([&runtime, destroy, handle, device, generation] {
        if (generation != generation_of(device)) return;
        GilReleased released(true);
        Scope scope(runtime, device, Scope::Calls::allowed);
        if (!scope.status()) scope(destroy(handle));
    });
}

} // namespace pygpu::arrays
