// Three-dimensional copies between devices, in the form that both runtimes have.
#pragma once

#include "api/copies_3d.hpp"
#include "api/find.hpp"
#include "api/translate.hpp"
#include "base/types.hpp"
#include "device/device.hpp"
#include "streams/by_handle.hpp"

namespace pygpu::host {

template <class Theirs>
Status copy_3d_peer(const Theirs &copy, const std::shared_ptr<Stream> &stream, Return when) {
    const Copy3D plain{translated(copy.srcArray),
                       {copy.srcPos.x, copy.srcPos.y, copy.srcPos.z},
                       translated(copy.srcPtr),
                       translated(copy.dstArray),
                       {copy.dstPos.x, copy.dstPos.y, copy.dstPos.z},
                       translated(copy.dstPtr),
                       translated(copy.extent),
                       device_to_device};
    return copy_3d(stream, plain, device_to_device, when);
}

template <class Theirs> Status check_3d_peer(const Theirs *copy) {
    if (!copy) return Status::invalid_value;
    return is_device(copy->srcDevice) && is_device(copy->dstDevice) ? Status::success
                                                                    : Status::invalid_device;
}

namespace api {

template <class Theirs> Status Memcpy3DPeer(const Theirs *copy) {
    if (const Status status = check_3d_peer(copy); status != Status::success) return status;
    const auto on = stream_of(nullptr);
    return in_line_with(on, copy->srcDevice, copy->dstDevice,
                        [&] { return copy_3d_peer(*copy, on, Return::after_host); });
}

template <class Theirs> Status Memcpy3DPeerAsync(const Theirs *copy, StreamTag *stream) {
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    const Status status = check_3d_peer(copy);
    return status == Status::success ? copy_3d_peer(*copy, on, Return::queued) : status;
}

} // namespace api
} // namespace pygpu::host
