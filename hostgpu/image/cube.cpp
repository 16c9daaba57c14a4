// The faces of a cubemap (CUDA C++ Programming Guide, "Cubemap Textures").
#include "image/cube.hpp"

#include <algorithm>
#include <cmath>

namespace pygpu::host {
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

// The axis that a vector is longest along. The guide leaves open which one it is at an edge: z comes before y
// before x.
template <class Number> int axis_of(const Number (&length)[3]) {
    const int later = length[2] >= length[1] ? 2 : 1;
    return length[later] >= length[0] ? later : 0;
}

unsigned face_along(int axis, bool negative) { return static_cast<unsigned>(2 * axis + negative); }

// All components are multiplied by the inverse of the greatest one. The inverse is 0 from this size on, and
// infinite for 0.
constexpr float too_long = 0x1p126f;

// A vector as a face sees it: along s and t, and away from the middle of the cube.
struct FaceVector {
    double s, t, depth;
};

FaceVector seen_from(const Face &face, const float (&vector)[3]) {
    const auto along = [&](int axis, int sign) { return static_cast<double>(sign) * vector[axis]; };
    return {along(face.s_axis, face.s_sign), along(face.t_axis, face.t_sign), along(face.axis, face.sign)};
}

// Where a vector meets the cube when the next faces are unfolded into the plane of this face, which goes from
// -1 to 1. The opposite face is out of reach.
void unfold(FaceVector &vector, bool &leaves_face) {
    const double s = std::fabs(vector.s), t = std::fabs(vector.t), depth = vector.depth;
    if (depth >= s && depth >= t) {
        vector = {vector.s / depth, vector.t / depth, 1};
        return;
    }
    leaves_face = true;
    if (-depth > s && -depth > t)
        vector = {HUGE_VAL, HUGE_VAL, 1};
    else if (s >= t)
        vector = {std::copysign(2 - depth / s, vector.s), vector.t / s, 1};
    else
        vector = {vector.s / t, std::copysign(2 - depth / t, vector.t), 1};
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
    const std::int64_t length[3] = {std::abs(vector[0]), std::abs(vector[1]), std::abs(vector[2])};
    const int axis = axis_of(length);
    const unsigned number = face_along(axis, vector[axis] < 0);
    const Face &to = faces[number];
    at[0] = (to.s_sign * vector[to.s_axis] + count - 1) / 2;
    at[1] = (to.t_sign * vector[to.t_axis] + count - 1) / 2;
    at[2] += static_cast<std::int64_t>(number) - at[2] % cube_faces;
}

SamplePoint on_face(const SamplePoint &point, Gradients &gradients) {
    float vector[3], length[3], most = 0;
    for (const float one : point.at) most = std::fmax(most, std::fabs(one));
    const float scale = most > too_long ? 0.0f : most > 0 ? 1.0f : HUGE_VALF;
    for (int k = 0; k < 3; ++k) {
        const float one = point.at[k] * scale;
        length[k] = one == one ? std::fabs(one) : -1; // NaN is less than all others
        vector[k] = one == one ? one : 0;
    }
    const int axis = axis_of(length);
    const unsigned number = face_along(axis, vector[axis] < 0);
    const Face &face = faces[number];
    most = std::fabs(vector[axis]);
    const auto place = [&](int along, int sign) { // 0 to 1
        return most > 0 ? (static_cast<float>(sign) * vector[along] / most + 1) / 2 : 0.5f;
    };
    const float s = place(face.s_axis, face.s_sign), t = place(face.t_axis, face.t_sign);
    // How far away the neighbours' places are.
    for (auto *change : {&gradients.by_x, &gradients.by_y}) {
        const float moved[3] = {vector[0] + (*change)[0], vector[1] + (*change)[1], vector[2] + (*change)[2]};
        FaceVector neighbour = seen_from(face, moved);
        unfold(neighbour, gradients.leaves_face);
        (*change)[0] = static_cast<float>((neighbour.s + 1) / 2 - static_cast<double>(s));
        (*change)[1] = static_cast<float>((neighbour.t + 1) / 2 - static_cast<double>(t));
    }
    return {{s, t, 0}, point.layer * cube_faces + number, point.level};
}

} // namespace pygpu::host
