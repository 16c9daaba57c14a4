// Clocks, power and temperature. A CPU's device has none of its card: the numbers are made up, between the
// card's own at rest and at work, and follow the load.
#include "nvml/answers.hpp"

#include <algorithm>

namespace pygpu::host::nvml {
namespace {

constexpr unsigned long long idle_reason = 1; // nvmlClocksEventReasonGpuIdle
constexpr int clock_step = 15;                // MHz, between supported graphics clocks

bool is_clock(nvmlClockType_t type) {
    return static_cast<unsigned>(type) <= static_cast<unsigned>(NVML_CLOCK_VIDEO);
}

bool has_power() { return card().power_default > 0; }

nvmlReturn_t give_clock(nvmlDevice_t device, nvmlClockType_t type, unsigned *to, bool current) {
    if (!is_clock(type)) return NVML_ERROR_INVALID_ARGUMENT;
    return on(device, [&](int number) { *to = current ? clock_of(number, type) : most_of(type); }, to);
}

int between(int rest, int work, unsigned percent) {
    return rest + static_cast<int>(static_cast<long long>(work - rest) * percent / 100);
}

} // namespace

unsigned most_of(nvmlClockType_t type) {
    if (type == NVML_CLOCK_MEM) return static_cast<unsigned>(card().memory_mhz);
    return static_cast<unsigned>(type == NVML_CLOCK_VIDEO ? card().video_mhz : card().clock_mhz);
}

// A card that is used runs at its most.
unsigned clock_of(int number, nvmlClockType_t type) {
    const bool graphics = type == NVML_CLOCK_GRAPHICS || type == NVML_CLOCK_SM;
    return graphics && !load_of(number).kernels ? static_cast<unsigned>(card().idle_mhz) : most_of(type);
}

// At work a card stays somewhat below its limit.
unsigned milliwatts_of(int number) {
    return static_cast<unsigned>(
        between(card().power_idle, card().power_default / 10 * 9, load_of(number).kernels));
}

int degrees_of(int number) { return between(card().heat_idle, card().heat_busy, load_of(number).kernels); }

nvmlReturn_t DeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned *clock) {
    return give_clock(device, type, clock, true);
}
nvmlReturn_t DeviceGetMaxClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned *clock) {
    return give_clock(device, type, clock, false);
}
nvmlReturn_t DeviceGetMaxCustomerBoostClock(nvmlDevice_t device, nvmlClockType_t type, unsigned *clock) {
    return give_clock(device, type, clock, false);
}
nvmlReturn_t DeviceGetApplicationsClock(nvmlDevice_t device, nvmlClockType_t type, unsigned *clock) {
    return give_clock(device, type, clock, false);
}
nvmlReturn_t DeviceGetDefaultApplicationsClock(nvmlDevice_t device, nvmlClockType_t type, unsigned *clock) {
    return give_clock(device, type, clock, false);
}
nvmlReturn_t DeviceGetClock(nvmlDevice_t device, nvmlClockType_t type, nvmlClockId_t id, unsigned *clock) {
    if (static_cast<unsigned>(id) > static_cast<unsigned>(NVML_CLOCK_ID_CUSTOMER_BOOST_MAX))
        return NVML_ERROR_INVALID_ARGUMENT;
    return give_clock(device, type, clock, id == NVML_CLOCK_ID_CURRENT);
}

nvmlReturn_t DeviceGetSupportedMemoryClocks(nvmlDevice_t device, unsigned *count, unsigned *clocks) {
    return on(device, [&](int) { return give_list(count, clocks, {most_of(NVML_CLOCK_MEM)}); }, count);
}

// From the most down to the clock at rest.
nvmlReturn_t DeviceGetSupportedGraphicsClocks(nvmlDevice_t device, unsigned memory, unsigned *count,
                                              unsigned *clocks) {
    return on(
        device,
        [&](int) -> nvmlReturn_t {
            if (memory != most_of(NVML_CLOCK_MEM)) return NVML_ERROR_NOT_FOUND;
            std::vector<unsigned> all;
            for (int clock = card().clock_mhz; clock >= card().idle_mhz; clock -= clock_step)
                all.push_back(static_cast<unsigned>(clock));
            return give_list(count, clocks, all);
        },
        count);
}

nvmlReturn_t DeviceGetCurrentClocksEventReasons(nvmlDevice_t device, unsigned long long *reasons) {
    return on(device, [&](int number) { *reasons = load_of(number).kernels ? 0 : idle_reason; }, reasons);
}
nvmlReturn_t DeviceGetCurrentClocksThrottleReasons(nvmlDevice_t device, unsigned long long *reasons) {
    return DeviceGetCurrentClocksEventReasons(device, reasons);
}
nvmlReturn_t DeviceGetSupportedClocksEventReasons(nvmlDevice_t device, unsigned long long *reasons) {
    return give(device, reasons, idle_reason);
}
nvmlReturn_t DeviceGetSupportedClocksThrottleReasons(nvmlDevice_t device, unsigned long long *reasons) {
    return give(device, reasons, idle_reason);
}

nvmlReturn_t DeviceGetPerformanceState(nvmlDevice_t device, nvmlPstates_t *state) {
    return on(
        device,
        [&](int number) {
            *state = static_cast<nvmlPstates_t>(load_of(number).used ? 0 : card().idle_state);
        },
        state);
}
nvmlReturn_t DeviceGetPowerState(nvmlDevice_t device, nvmlPstates_t *state) {
    return DeviceGetPerformanceState(device, state);
}
nvmlReturn_t DeviceGetSupportedPerformanceStates(nvmlDevice_t device, nvmlPstates_t *states, unsigned size) {
    return on(
        device,
        [&](int) -> nvmlReturn_t {
            std::vector<nvmlPstates_t> all{NVML_PSTATE_0};
            if (card().idle_state) all.push_back(static_cast<nvmlPstates_t>(card().idle_state));
            const std::size_t places = size / sizeof(nvmlPstates_t);
            if (places < all.size()) return NVML_ERROR_INSUFFICIENT_SIZE;
            all.resize(places, NVML_PSTATE_UNKNOWN);
            std::copy(all.begin(), all.end(), states);
            return NVML_SUCCESS;
        },
        states);
}

nvmlReturn_t DeviceGetTemperature(nvmlDevice_t device, nvmlTemperatureSensors_t sensor,
                                  unsigned *temperature) {
    if (sensor != NVML_TEMPERATURE_GPU) return NVML_ERROR_INVALID_ARGUMENT;
    const int number = number_of(device);
    return give(device, temperature, number < 0 ? 0 : degrees_of(number), has_board());
}

nvmlReturn_t DeviceGetTemperatureV(nvmlDevice_t device, nvmlTemperature_t *temperature) {
    return on(
        device,
        [&](int number) -> nvmlReturn_t {
            if (temperature->version != version_of<nvmlTemperature_t>(1))
                return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
            if (temperature->sensorType != NVML_TEMPERATURE_GPU) return NVML_ERROR_INVALID_ARGUMENT;
            if (!has_board()) return NVML_ERROR_NOT_SUPPORTED;
            temperature->temperature = degrees_of(number);
            return NVML_SUCCESS;
        },
        temperature);
}

nvmlReturn_t DeviceGetMarginTemperature(nvmlDevice_t device, nvmlMarginTemperature_t *margin) {
    return on(
        device,
        [&](int number) -> nvmlReturn_t {
            if (margin->version != version_of<nvmlMarginTemperature_t>(1))
                return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
            if (!has_board()) return NVML_ERROR_NOT_SUPPORTED;
            margin->marginTemperature = card().heat_operating - degrees_of(number);
            return NVML_SUCCESS;
        },
        margin);
}

nvmlReturn_t DeviceGetTemperatureThreshold(nvmlDevice_t device, nvmlTemperatureThresholds_t threshold,
                                           unsigned *temperature) {
    if (static_cast<unsigned>(threshold) >= static_cast<unsigned>(NVML_TEMPERATURE_THRESHOLD_COUNT))
        return NVML_ERROR_INVALID_ARGUMENT;
    const int degrees = threshold == NVML_TEMPERATURE_THRESHOLD_SHUTDOWN   ? card().heat_shutdown
                        : threshold == NVML_TEMPERATURE_THRESHOLD_SLOWDOWN ? card().heat_slowdown
                        : threshold == NVML_TEMPERATURE_THRESHOLD_GPU_MAX  ? card().heat_operating
                                                                           : 0;
    return give(device, temperature, degrees, has_board() && degrees);
}

// The profiles' cards have no fans of their own.
nvmlReturn_t DeviceGetNumFans(nvmlDevice_t device, unsigned *fans) { return give(device, fans, 0); }

nvmlReturn_t DeviceGetPowerUsage(nvmlDevice_t device, unsigned *power) {
    const int number = number_of(device);
    return give(device, power, number < 0 ? 0 : milliwatts_of(number), has_power());
}
nvmlReturn_t DeviceGetPowerManagementMode(nvmlDevice_t device, nvmlEnableState_t *mode) {
    return give(device, mode, NVML_FEATURE_ENABLED, has_power());
}
nvmlReturn_t DeviceGetPowerManagementLimit(nvmlDevice_t device, unsigned *limit) {
    return give(device, limit, card().power_default, has_power());
}
nvmlReturn_t DeviceGetPowerManagementDefaultLimit(nvmlDevice_t device, unsigned *limit) {
    return give(device, limit, card().power_default, has_power());
}
nvmlReturn_t DeviceGetEnforcedPowerLimit(nvmlDevice_t device, unsigned *limit) {
    return give(device, limit, card().power_default, has_power());
}
nvmlReturn_t DeviceGetPowerManagementLimitConstraints(nvmlDevice_t device, unsigned *least, unsigned *most) {
    if (!most) return NVML_ERROR_INVALID_ARGUMENT;
    const nvmlReturn_t status = give(device, least, card().power_min, has_power());
    if (status == NVML_SUCCESS) *most = static_cast<unsigned>(card().power_max);
    return status;
}

} // namespace pygpu::host::nvml
