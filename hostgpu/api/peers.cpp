// Peer access: all host devices reach each other's memory.
#include "api/api.hpp"

#include "device/device.hpp"

namespace pygpu::host::api {

Status DeviceCanAccessPeer(int *can, int number, int peer) {
    if (!can) return Status::invalid_value;
    if (!is_device(number) || !is_device(peer)) return Status::invalid_device;
    *can = number != peer;
    return Status::success;
}

Status DeviceEnablePeerAccess(int peer, unsigned flags) {
    if (flags) return Status::invalid_value;
    Device &one = current_device();
    if (!is_device(peer)) return Status::invalid_device;
    if (peer == one.number) return Status::peer_access_unsupported;
    std::lock_guard lock(one.mutex);
    return one.peers.insert(peer).second ? Status::success : Status::peer_access_already_enabled;
}

Status DeviceDisablePeerAccess(int peer) {
    Device &one = current_device();
    if (!is_device(peer)) return Status::invalid_device;
    std::lock_guard lock(one.mutex);
    return one.peers.erase(peer) ? Status::success : Status::peer_access_not_enabled;
}

Status DeviceGetP2PAttribute(int *value, int attribute, int source, int destination) {
    if (!value) return Status::invalid_value;
    if (!is_device(source) || !is_device(destination) || source == destination) return Status::invalid_device;
    if (attribute < 1 || attribute > 5) return Status::invalid_value;
    *value = attribute == 1 ? 0 : 1; // performance rank 0 is the best
    return Status::success;
}

} // namespace pygpu::host::api
