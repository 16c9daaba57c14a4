// Cooperative launches on several devices at once: one kernel for each.
#include "api/launches.hpp"

#include "api/find.hpp"
#include "streams/stream.hpp"

#include <algorithm>

namespace pygpu::host {

// Rules: CUDA Driver API, "cuLaunchCooperativeKernelMultiDevice".
Status launch_on_devices(const std::vector<DeviceLaunch> &launches, unsigned flags) {
    constexpr unsigned no_wait_before = 1, no_wait_after = 2;
    std::vector<std::shared_ptr<Stream>> on;
    const Launch &first = launches.front().launch;
    const auto same = [](const Dim &one, const Dim &other) {
        return one.x == other.x && one.y == other.y && one.z == other.z;
    };
    for (const DeviceLaunch &one : launches) {
        const auto stream = find_stream(one.launch.stream);
        if (!stream) return gone_stream(one.launch.stream);
        if (stream->kind != StreamKind::created) return Status::invalid_resource_handle;
        const bool again =
            std::ranges::any_of(on, [&](const auto &other) { return other->device == stream->device; });
        if (again) return Status::invalid_device;
        if (!same(one.launch.grid, first.grid) || !same(one.launch.block, first.block) ||
            one.launch.shared != first.shared || one.kernel->name != launches.front().kernel->name)
            return Status::invalid_value;
        on.push_back(stream);
    }
    const auto wait_for_all = [&] {
        std::vector<Point> points;
        points.reserve(on.size());
        for (const auto &stream : on) points.push_back(stream->here());
        for (const auto &stream : on) {
            auto gate = make_work([] {});
            gate->after = points;
            std::erase_if(gate->after, [&](const Point &point) { return point.stream == stream; });
            stream->submit(std::move(gate));
        }
    };
    if (!(flags & no_wait_before)) wait_for_all();
    for (std::size_t index = 0; index < launches.size(); ++index) {
        const DeviceLaunch &one = launches[index];
        const Status status = launch_kernel(*one.kernel, one.launch, on[index], {one.arguments});
        if (status != Status::success) return status;
    }
    if (!(flags & no_wait_after)) wait_for_all();
    return Status::success;
}

} // namespace pygpu::host
