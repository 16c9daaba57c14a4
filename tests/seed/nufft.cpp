// Stands where cufinufft's library does, for the host runtime's memory: the sums as they are defined.
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>

namespace {

template <class T> struct Plan {
    int type, axes, sign, transforms;
    std::int64_t modes[3];
    std::int64_t points = 0, targets = 0;
    const T *point[3] = {}, *target[3] = {};
};

template <class T>
int make(int type, int axes, const std::int64_t *modes, int sign, int transforms, Plan<T> **made) {
    *made = new Plan<T>{type, axes, sign, transforms, {modes[0], modes[1], modes[2]}};
    return 0;
}

template <class T>
int set(Plan<T> *plan, std::int64_t points, const T *x, const T *y, const T *z, std::int64_t targets,
        const T *s, const T *t, const T *u) {
    plan->points = points;
    plan->targets = targets;
    for (int axis = 0; axis < 3; ++axis) {
        plan->point[axis] = axis == 0 ? x : axis == 1 ? y : z;
        plan->target[axis] = axis == 0 ? s : axis == 1 ? t : u;
    }
    return 0;
}

// The phase of a point and a mode, or of a point and a target.
template <class T> double phase(const Plan<T> &plan, std::int64_t point, std::int64_t mode) {
    double sum = 0;
    for (int axis = 0; axis < plan.axes; ++axis) {
        const double place = plan.point[axis][point];
        if (plan.type == 3) {
            sum += place * plan.target[axis][mode];
        } else {
            sum += place * static_cast<double>(mode % plan.modes[axis] - plan.modes[axis] / 2);
            mode /= plan.modes[axis];
        }
    }
    return plan.sign * sum;
}

int (*synchronize)(void *stream) = nullptr; // the runtime's

template <class T> int execute(const Plan<T> *plan, std::complex<T> *strengths, std::complex<T> *values) {
    if (const int status = synchronize(nullptr)) return status; // as a kernel on the default stream would
    std::int64_t modes = plan->targets;
    if (plan->type != 3) modes = plan->modes[0] * plan->modes[1] * plan->modes[2];
    const bool to_points = plan->type == 2;
    for (int transform = 0; transform < plan->transforms; ++transform) {
        std::complex<T> *at_points = strengths + transform * plan->points,
                        *at_modes = values + transform * modes;
        const std::int64_t outer = to_points ? plan->points : modes, inner = to_points ? modes : plan->points;
        for (std::int64_t one = 0; one < outer; ++one) {
            std::complex<double> sum = 0;
            for (std::int64_t other = 0; other < inner; ++other) {
                const std::int64_t point = to_points ? one : other, mode = to_points ? other : one;
                const std::complex<double> factor(to_points ? at_modes[mode] : at_points[point]);
                sum += factor * std::polar(1.0, phase(*plan, point, mode));
            }
            (to_points ? at_points : at_modes)[one] = std::complex<T>(sum);
        }
    }
    return 0;
}

} // namespace

#define NUFFT(name, T)                                                                                       \
    int name##_makeplan(int type, int axes, const std::int64_t *modes, int sign, int transforms, T,          \
                        Plan<T> **plan, void *) {                                                            \
        return make(type, axes, modes, sign, transforms, plan);                                              \
    }                                                                                                        \
    int name##_setpts(Plan<T> *plan, std::int64_t points, const T *x, const T *y, const T *z,                \
                      std::int64_t targets, const T *s, const T *t, const T *u) {                            \
        return set(plan, points, x, y, z, targets, s, t, u);                                                 \
    }                                                                                                        \
    int name##_execute(Plan<T> *plan, std::complex<T> *strengths, std::complex<T> *values) {                 \
        return execute(plan, strengths, values);                                                             \
    }                                                                                                        \
    int name##_destroy(Plan<T> *plan) {                                                                      \
        delete plan;                                                                                         \
        return 0;                                                                                            \
    }

extern "C" {
void order_by(int (*function)(void *)) { synchronize = function; }
void cufinufft_default_opts(void *) {}
NUFFT(cufinufft, double)
NUFFT(cufinufftf, float)
}
