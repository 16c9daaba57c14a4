// Modes that a card may be in, and its counters of errors.
#include "nvml/answers.hpp"

namespace pygpu::host::nvml {
namespace {

// A host device has no errors of memory to count; a card with ECC says so.
template <class To> nvmlReturn_t no_errors(nvmlDevice_t device, unsigned type, unsigned counter, To *to) {
    constexpr unsigned types = 2, counters = 2; // corrected or not; since the driver's start or ever
    if (type >= types || counter >= counters) return NVML_ERROR_INVALID_ARGUMENT;
    return give(device, to, To{}, card().ecc);
}

constexpr unsigned accounts = 4000; // of processes, as a card's driver has room for

} // namespace

nvmlReturn_t DeviceGetEccMode(nvmlDevice_t device, nvmlEnableState_t *current, nvmlEnableState_t *pending) {
    if (!pending) return NVML_ERROR_INVALID_ARGUMENT;
    const nvmlReturn_t status = give(device, current, NVML_FEATURE_ENABLED, card().ecc);
    if (status == NVML_SUCCESS) *pending = NVML_FEATURE_ENABLED;
    return status;
}
nvmlReturn_t DeviceGetDefaultEccMode(nvmlDevice_t device, nvmlEnableState_t *mode) {
    return give(device, mode, NVML_FEATURE_ENABLED, card().ecc);
}
nvmlReturn_t DeviceGetTotalEccErrors(nvmlDevice_t device, nvmlMemoryErrorType_t type,
                                     nvmlEccCounterType_t counter, unsigned long long *count) {
    return no_errors(device, static_cast<unsigned>(type), static_cast<unsigned>(counter), count);
}
nvmlReturn_t DeviceGetDetailedEccErrors(nvmlDevice_t device, nvmlMemoryErrorType_t type,
                                        nvmlEccCounterType_t counter, nvmlEccErrorCounts_t *counts) {
    return no_errors(device, static_cast<unsigned>(type), static_cast<unsigned>(counter), counts);
}
nvmlReturn_t DeviceGetMemoryErrorCounter(nvmlDevice_t device, nvmlMemoryErrorType_t type,
                                         nvmlEccCounterType_t counter, nvmlMemoryLocation_t location,
                                         unsigned long long *count) {
    if (static_cast<unsigned>(location) >= static_cast<unsigned>(NVML_MEMORY_LOCATION_COUNT))
        return NVML_ERROR_INVALID_ARGUMENT;
    return no_errors(device, static_cast<unsigned>(type), static_cast<unsigned>(counter), count);
}
nvmlReturn_t DeviceGetRemappedRows(nvmlDevice_t device, unsigned *corrected, unsigned *uncorrected,
                                   unsigned *pending, unsigned *failed) {
    return on(
        device,
        [&](int) -> nvmlReturn_t {
            if (!card().ecc) return NVML_ERROR_NOT_SUPPORTED;
            *corrected = *uncorrected = *pending = *failed = 0;
            return NVML_SUCCESS;
        },
        corrected, uncorrected, pending, failed);
}

// The card isn't divided, and can't be here.
nvmlReturn_t DeviceGetMigMode(nvmlDevice_t device, unsigned *current, unsigned *pending) {
    if (!pending) return NVML_ERROR_INVALID_ARGUMENT;
    const nvmlReturn_t status = give(device, current, 0, card().mig);
    if (status == NVML_SUCCESS) *pending = 0;
    return status;
}
nvmlReturn_t DeviceIsMigDeviceHandle(nvmlDevice_t device, unsigned *is) { return give(device, is, 0); }
nvmlReturn_t DeviceGetMaxMigDeviceCount(nvmlDevice_t device, unsigned *count) {
    return give(device, count, 0);
}
nvmlReturn_t DeviceGetMigDeviceHandleByIndex(nvmlDevice_t device, unsigned, nvmlDevice_t *one) {
    return on(
        device,
        [](int) -> nvmlReturn_t { return card().mig ? NVML_ERROR_NOT_FOUND : NVML_ERROR_NOT_SUPPORTED; },
        one);
}

nvmlReturn_t DeviceGetComputeMode(nvmlDevice_t device, nvmlComputeMode_t *mode) {
    return give(device, mode, NVML_COMPUTEMODE_DEFAULT);
}
nvmlReturn_t DeviceGetPersistenceMode(nvmlDevice_t device, nvmlEnableState_t *mode) {
    return give(device, mode, NVML_FEATURE_ENABLED);
}
nvmlReturn_t DeviceGetDisplayMode(nvmlDevice_t device, nvmlEnableState_t *mode) {
    return give(device, mode, NVML_FEATURE_DISABLED);
}
nvmlReturn_t DeviceGetDisplayActive(nvmlDevice_t device, nvmlEnableState_t *active) {
    return give(device, active, NVML_FEATURE_DISABLED);
}
nvmlReturn_t DeviceGetAccountingMode(nvmlDevice_t device, nvmlEnableState_t *mode) {
    return give(device, mode, NVML_FEATURE_DISABLED);
}
nvmlReturn_t DeviceGetAccountingBufferSize(nvmlDevice_t device, unsigned *size) {
    return give(device, size, accounts);
}
nvmlReturn_t DeviceGetAccountingPids(nvmlDevice_t device, unsigned *count, unsigned *) {
    return give(device, count, 0);
}
nvmlReturn_t DeviceGetVirtualizationMode(nvmlDevice_t device, nvmlGpuVirtualizationMode_t *mode) {
    return give(device, mode, NVML_GPU_VIRTUALIZATION_MODE_NONE);
}

} // namespace pygpu::host::nvml
