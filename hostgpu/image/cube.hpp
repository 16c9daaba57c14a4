// The faces of a cubemap: which one a direction meets, and which one lies beyond an edge.
#pragma once

#include "image/texture.hpp"

#include <cstdint>

namespace pygpu::host {

constexpr unsigned cube_faces = 6; // +x, -x, +y, -y, +z, -z

// Moves `at` from a texel beyond one edge of a face to the next face's texel at this edge. `at` is column,
// row and layer; the layers are faces of `count` x `count` texels.
void to_next_face(std::int64_t count, std::int64_t (&at)[3]);

// The face of a cube in a direction, and where on it (CUDA C++ Programming Guide, "Cubemap Textures").
SamplePoint on_face(const SamplePoint &point, Gradients &gradients);

} // namespace pygpu::host
