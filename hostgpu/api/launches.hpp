// Launches in forms that only one API has.
#pragma once

#include "code/launch.hpp"

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

// For the runtime APIs, which name a kernel by the address of a host function.
Status launch_compiled(const void *function, const Launch &launch, void **arguments);

} // namespace pygpu::host
