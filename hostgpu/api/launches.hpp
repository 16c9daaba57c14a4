// Launches in forms that only one API has.
#pragma once

#include "code/launch.hpp"
#include "code/modules.hpp"

#include <memory>
#include <span>
#include <vector>

namespace pygpu::host {

// Applies an attribute of a launch. Two of them count here; the runtime and the driver give them the same
// numbers.
template <class Value> void note_attribute(int id, const Value &value, Launch &launch) {
    constexpr int cooperative = 2, cluster_dimension = 4;
    if (id == cooperative) launch.cooperative = value.cooperative;
    if (id == cluster_dimension) {
        launch.in_clusters = true;
        launch.cluster = {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
    }
}

// One of several launches that start together, each on a device of its own.
struct DeviceLaunch {
    std::shared_ptr<const Kernel> kernel;
    Launch launch;
    void **arguments;
};
// The list isn't empty. flags: 1 not to wait for earlier work of all streams, 2 not to let later work wait.
Status launch_on_devices(const std::vector<DeviceLaunch> &launches, unsigned flags);

// The drivers' form of it: both APIs name the parts alike. as(stream) is the handle in the common type.
template <class Parameters, class As>
Status launch_functions_on_devices(const Parameters *list, unsigned count, unsigned flags, As as) {
    constexpr unsigned known_flags = 3;
    if (!list || !count || flags & ~known_flags) return Status::invalid_value;
    std::vector<DeviceLaunch> launches;
    for (const Parameters &one : std::span(list, count)) {
        const auto function = functions().find(one.function);
        if (!function) return Status::invalid_resource_handle;
        const Launch launch{{one.gridDimX, one.gridDimY, one.gridDimZ},
                            {one.blockDimX, one.blockDimY, one.blockDimZ},
                            one.sharedMemBytes,
                            as(one.hStream),
                            true};
        launches.push_back({{function, &function->kernel}, launch, one.kernelParams});
    }
    return launch_on_devices(launches, flags);
}

// For the runtime APIs, which name a kernel by the address of a host function.
Status launch_compiled(const void *function, const Launch &launch, const Arguments &arguments);

} // namespace pygpu::host
