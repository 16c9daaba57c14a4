// The faces of a cubemap: which one a direction meets, and which one lies beyond an edge.
#pragma once

#include <cstdint>

namespace pygpu::host::ptx {

constexpr unsigned cube_faces = 6; // +x, -x, +y, -y, +z, -z

// From a texel beyond one edge of a face to the one on the next face that it touches: column, row, and the
// face among layers of `count` x `count` texels.
void to_next_face(std::int64_t count, std::int64_t (&at)[3]);

} // namespace pygpu::host::ptx
