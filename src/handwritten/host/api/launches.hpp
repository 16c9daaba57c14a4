// Launches whose form is one API's own.
#pragma once

#include "host/core/launch.hpp"

namespace pygpu::host {

// Of an attribute, which says how a GPU is to run the launch: two count here. The runtime and the driver give
// them the same numbers.
template <class Value> void note_attribute(int id, const Value &value, Launch &launch) {
    constexpr int cooperative = 2, cluster_dimension = 4;
    if (id == cooperative) launch.cooperative = value.cooperative;
    if (id == cluster_dimension)
        launch.in_clusters = value.clusterDim.x > 1 || value.clusterDim.y > 1 || value.clusterDim.z > 1;
}

// Of the runtimes, which name kernels by addresses in a program.
Status launch_compiled(const void *function, const Launch &launch, void **arguments);

} // namespace pygpu::host
