// What needs NVSwitch or a fabric of machines: multicast objects, logical endpoints and cliques. The
// attributes of the devices say that there is none, so nothing can be made, and no handle or id names
// anything.
#include "api/cu/implemented.hpp"
#include "api/find.hpp"
#include "base/types.hpp"
#include "device/device.hpp"

namespace pygpu::host::cu {
namespace {

Status check_multicast(const c::CUmulticastObjectProp *wanted) {
    if (!wanted || !wanted->numDevices || wanted->flags) return Status::invalid_value;
    return Status::success;
}

// Of a multicast object and a device: there is no such object.
Status of_device(int device) { return is_device(device) ? Status::invalid_value : Status::invalid_device; }

// Where a device has no fabric, after the checks.
Status without_fabric(const void *to, int device) {
    return to && is_device(device) ? Status::not_supported : Status::invalid_value;
}

Status check_endpoint(const c::CUlogicalEndpointProp *wanted) {
    constexpr int unicast = 1, multicast = 2;
    if (!wanted) return Status::invalid_value;
    const int type = static_cast<int>(wanted->type);
    if (type == unicast && !is_device(wanted->unicast.device)) return Status::invalid_value;
    if (type == multicast && !wanted->multicast.numDevices) return Status::invalid_value;
    return type == unicast || type == multicast ? Status::success : Status::invalid_value;
}

} // namespace

Status MulticastCreate(PhysicalNumber *handle, const c::CUmulticastObjectProp *wanted) {
    if (!handle || check_multicast(wanted) != Status::success || !wanted->size) return Status::invalid_value;
    return Status::not_supported;
}

Status MulticastGetGranularity(std::size_t *granularity, const c::CUmulticastObjectProp *wanted, int option) {
    constexpr int recommended = 1;
    if (!granularity || check_multicast(wanted) != Status::success) return Status::invalid_value;
    return option < 0 || option > recommended ? Status::invalid_value : Status::not_supported;
}

Status MulticastAddDevice(PhysicalNumber, int) { return Status::invalid_value; }

Status MulticastBindMem(PhysicalNumber, std::size_t, PhysicalNumber, std::size_t, std::size_t,
                        unsigned long long) {
    return Status::invalid_value;
}

Status MulticastBindMem_v2(PhysicalNumber, int device, std::size_t, PhysicalNumber, std::size_t, std::size_t,
                           unsigned long long) {
    return of_device(device);
}

Status MulticastBindAddr(PhysicalNumber, std::size_t, void *, std::size_t, unsigned long long) {
    return Status::invalid_value;
}

Status MulticastBindAddr_v2(PhysicalNumber, int device, std::size_t, void *, std::size_t,
                            unsigned long long) {
    return of_device(device);
}

Status MulticastUnbind(PhysicalNumber, int device, std::size_t, std::size_t) { return of_device(device); }

Status LogicalEndpointIdReserve(unsigned *base, unsigned count) {
    return base && count ? Status::not_supported : Status::invalid_value;
}

Status LogicalEndpointGetLimits(unsigned long long *alignment, unsigned long long *most,
                                const c::CUlogicalEndpointProp *wanted) {
    if (!alignment || !most) return Status::invalid_value;
    const Status status = check_endpoint(wanted);
    return status == Status::success ? Status::not_supported : status;
}

// No id is reserved, so these have nothing to work on.
Status LogicalEndpointIdRelease(unsigned, unsigned) { return Status::invalid_value; }
Status LogicalEndpointDestroy(unsigned) { return Status::invalid_value; }
Status LogicalEndpointQuery(unsigned, unsigned, int *) { return Status::invalid_value; }
Status LogicalEndpointExport(void *, unsigned, int) { return Status::invalid_value; }
Status LogicalEndpointImport(unsigned, const void *, int) { return Status::invalid_value; }
Status LogicalEndpointAddDevice(unsigned, int) { return Status::invalid_value; }
Status LogicalEndpointCreate(unsigned, const c::CUlogicalEndpointProp *) { return Status::invalid_value; }
Status LogicalEndpointBindAddr(unsigned, int, unsigned long long, void *, unsigned long long,
                               unsigned long long) {
    return Status::invalid_value;
}
Status LogicalEndpointBindMem(unsigned, int, unsigned long long, PhysicalNumber, unsigned long long,
                              unsigned long long, unsigned long long) {
    return Status::invalid_value;
}
Status LogicalEndpointUnbind(unsigned, int, unsigned long long, unsigned long long) {
    return Status::invalid_value;
}

Status FabricCpyBatchAsync(std::size_t count, c::CUDA_FABRIC_COPY_BATCH_OP *copies, unsigned long long flags,
                           StreamTag *stream) {
    if (!count || !copies || flags) return Status::invalid_value;
    return find_stream(stream) ? Status::not_supported : gone_stream(stream);
}

Status DeviceGetCliqueCount(std::size_t *count, int device) { return without_fabric(count, device); }

Status DeviceGetCliqueInfo(c::CUcliqueInfo *cliques, std::size_t *count, int device) {
    return cliques ? without_fabric(count, device) : Status::invalid_value;
}

Status DeviceGetFabricClusterUuid(c::CUuuid *id, int device) { return without_fabric(id, device); }

} // namespace pygpu::host::cu
