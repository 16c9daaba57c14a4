// The faces of a cubemap (CUDA C++ Programming Guide, "Cubemap Textures").
#include "host/ptx/cube.hpp"

#include "host/ptx/texture.hpp"

#include <algorithm>
#include <cmath>

namespace pygpu::host::ptx {
namespace {

// How a face lies in space: its own axis, and which axes s and t run along, with their signs.
struct Face {
    int axis, sign;
    int s_axis, s_sign;
    int t_axis, t_sign;
};

constexpr Face faces[cube_faces] = {
    {0, 1, 2, -1, 1, -1}, {0, -1, 2, 1, 1, -1}, {1, 1, 0, 1, 2, 1},
    {1, -1, 0, 1, 2, -1}, {2, 1, 0, 1, 1, -1},  {2, -1, 0, -1, 1, -1},
};

// The face that a vector meets. The guide leaves open which one it is at an edge: z comes before y before x.
template <class Number> unsigned face_of(const Number (&vector)[3]) {
    int axis = 0;
    for (int other = 1; other < 3; ++other) {
        if (std::abs(vector[other]) >= std::abs(vector[axis])) axis = other;
    }
    return static_cast<unsigned>(2 * axis + (vector[axis] < 0));
}

} // namespace

void to_next_face(std::int64_t count, std::int64_t (&at)[3]) {
    // Twice the distance from the middle: edges of a face lie at -count and count.
    const std::int64_t s = 2 * at[0] + 1 - count, t = 2 * at[1] + 1 - count;
    const Face &from = faces[at[2] % cube_faces];
    std::int64_t vector[3];
    vector[from.axis] = from.sign * (count - 1);
    vector[from.s_axis] = from.s_sign * std::clamp<std::int64_t>(s, -count, count);
    vector[from.t_axis] = from.t_sign * std::clamp<std::int64_t>(t, -count, count);
    const unsigned number = face_of(vector);
    const Face &to = faces[number];
    at[0] = (to.s_sign * vector[to.s_axis] + count - 1) / 2;
    at[1] = (to.t_sign * vector[to.t_axis] + count - 1) / 2;
    at[2] += static_cast<std::int64_t>(number) - at[2] % cube_faces;
}

Spot on_face(const Spot &spot, Gradients &gradients) {
    const unsigned number = face_of(spot.at);
    const Face &face = faces[number];
    const float most = std::fabs(spot.at[face.axis]);
    const float s = static_cast<float>(face.s_sign) * spot.at[face.s_axis],
                t = static_cast<float>(face.t_sign) * spot.at[face.t_axis];
    for (auto *change : {&gradients.by_x, &gradients.by_y}) {
        const float deeper = static_cast<float>(face.sign) * (*change)[face.axis];
        const float along_s = static_cast<float>(face.s_sign) * (*change)[face.s_axis],
                    along_t = static_cast<float>(face.t_sign) * (*change)[face.t_axis];
        // The derivatives of what is returned below.
        (*change)[0] = (along_s * most - s * deeper) / (2 * most * most);
        (*change)[1] = (along_t * most - t * deeper) / (2 * most * most);
    }
    return {{(s / most + 1) / 2, (t / most + 1) / 2, 0}, spot.layer * cube_faces + number, spot.level};
}

} // namespace pygpu::host::ptx
