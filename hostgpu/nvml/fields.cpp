// Values by the number of a field.
#include "nvml/answers.hpp"

#include <ctime>
#include <limits>

namespace pygpu::host::nvml {
namespace {

// The fields of nvml.h (NVML_FI_DEV_…) that have a value here.
enum Field : unsigned {
    ecc_current = 1,
    ecc_pending = 2,
    ecc_first_total = 3,
    ecc_last_total = 6,
    memory_temperature = 82,
    nvlink_speed_common = 90,
    nvlink_count = 91,
    pcie_replays = 94,
    remapped_first = 142,
    remapped_last = 145,
    nvlink_speed = 164,
    nvlink_state = 165,
    nvlink_version = 166,
    power_average = 185,
    power_instant = 186,
    power_min = 187,
    power_max = 188,
    power_default = 189,
    power_current = 190,
    power_requested = 192,
    gpu_temperature = 308,
    last_field = 309,
};

nvmlReturn_t whole(nvmlFieldValue_t &to, long long value, bool has = true) {
    if (!has) return NVML_ERROR_NOT_SUPPORTED;
    to.valueType = NVML_VALUE_TYPE_UNSIGNED_INT;
    to.value.uiVal = static_cast<unsigned>(value);
    return NVML_SUCCESS;
}

nvmlReturn_t large(nvmlFieldValue_t &to, unsigned long long value, bool has) {
    if (!has) return NVML_ERROR_NOT_SUPPORTED;
    to.valueType = NVML_VALUE_TYPE_UNSIGNED_LONG_LONG;
    to.value.ullVal = value;
    return NVML_SUCCESS;
}

// `scopeId` is the link.
nvmlReturn_t of_link(nvmlFieldValue_t &to, int number, long long value) {
    if (!card().nvlinks) return NVML_ERROR_NOT_SUPPORTED;
    if (to.scopeId >= static_cast<unsigned>(card().nvlinks)) return NVML_ERROR_INVALID_ARGUMENT;
    return whole(to, behind_link(number, to.scopeId) < 0 ? 0 : value);
}

nvmlReturn_t value_of(nvmlFieldValue_t &to, int number) {
    const Profile &one = card();
    // Power has scopes: the GPU, or a module that holds more than it.
    const bool powered = one.power_default > 0 && to.scopeId == 0;
    switch (to.fieldId) {
    case ecc_current:
    case ecc_pending:
        return whole(to, 1, one.ecc);
    case pcie_replays:
        return whole(to, 0, has_board());
    case memory_temperature:
    case gpu_temperature:
        return whole(to, degrees_of(number), has_board() && (one.ecc || to.fieldId == gpu_temperature));
    case nvlink_count:
        return whole(to, one.nvlinks, one.nvlinks > 0);
    case nvlink_speed_common:
        return whole(to, one.nvlink_mbps, one.nvlinks > 0);
    case nvlink_speed:
        return of_link(to, number, one.nvlink_mbps);
    case nvlink_state:
        return of_link(to, number, 1);
    case nvlink_version: {
        unsigned version = 0;
        const nvmlReturn_t status = DeviceGetNvLinkVersion(handle_of(number), to.scopeId, &version);
        return status == NVML_SUCCESS ? whole(to, version) : status;
    }
    case power_average:
    case power_instant:
        return whole(to, milliwatts_of(number), powered);
    case power_min:
        return whole(to, one.power_min, powered);
    case power_max:
        return whole(to, one.power_max, powered);
    case power_default:
    case power_current:
    case power_requested:
        return whole(to, one.power_default, powered);
    default:
        if (to.fieldId >= ecc_first_total && to.fieldId <= ecc_last_total) return large(to, 0, one.ecc);
        if (to.fieldId >= remapped_first && to.fieldId <= remapped_last) return whole(to, 0, one.ecc);
        return to.fieldId && to.fieldId <= last_field ? NVML_ERROR_NOT_SUPPORTED
                                                      : NVML_ERROR_INVALID_ARGUMENT;
    }
}

} // namespace

// Each field has a status of its own.
nvmlReturn_t DeviceGetFieldValues(nvmlDevice_t device, int count, nvmlFieldValue_t *values) {
    return on(
        device,
        [&](int number) -> nvmlReturn_t {
            if (count <= 0) return NVML_ERROR_INVALID_ARGUMENT;
            timespec now{};
            clock_gettime(CLOCK_REALTIME, &now);
            for (int index = 0; index < count; ++index) {
                nvmlFieldValue_t &one = values[index];
                one.timestamp = static_cast<long long>(now.tv_sec) * 1'000'000 + now.tv_nsec / 1000;
                one.latencyUsec = 0;
                one.nvmlReturn = value_of(one, number);
            }
            return NVML_SUCCESS;
        },
        values);
}

} // namespace pygpu::host::nvml
