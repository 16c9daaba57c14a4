// Memory, utilisation and processes: what programs do on the host runtime, in this process and in others.
#include "base/activity.hpp"
#include "nvml/answers.hpp"

#include <algorithm>
#include <ctime>

namespace pygpu::host::nvml {
namespace {

constexpr unsigned no_instance = 0xffffffff; // of MIG

struct Memory {
    unsigned long long total, reserved, used;
};

// Where the size was set, nothing of it is kept back.
Memory memory_of(int number) {
    const bool as_the_card = settings().memory == card().memory;
    Memory memory{settings().memory, as_the_card ? card().reserved : 0, 0};
    memory.used = std::min<unsigned long long>(memory_in_use(number), memory.total);
    memory.total += memory.reserved;
    return memory;
}

// Programs of the host runtime compute: none draws, and none goes by way of a server.
nvmlReturn_t no_processes(nvmlDevice_t device, unsigned *count, nvmlProcessInfo_t *to) {
    return on(device, [&](int) { return give_list(count, to, {}); }, count);
}

// Engines that a host device doesn't have are at rest. A card's period is a second or less.
nvmlReturn_t at_rest(nvmlDevice_t device, unsigned *utilization, unsigned *period) {
    return on(device, [&](int) { *utilization = *period = 0; }, utilization, period);
}

unsigned long long since_the_epoch() {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return static_cast<unsigned long long>(now.tv_sec) * 1'000'000 +
           static_cast<unsigned long long>(now.tv_nsec) / 1000;
}

} // namespace

LoadOf load_of(int number) {
    LoadOf load;
    for (const Activity &one : activities(number)) {
        load.used = true;
        load.kernels += one.kernels;
        load.memory += one.memory_use;
    }
    load.kernels = std::min(load.kernels, 100u);
    load.memory = std::min(load.memory, 100u);
    return load;
}

std::size_t memory_in_use(int number) {
    std::size_t sum = 0;
    for (const Activity &one : activities(number)) sum += one.memory;
    return sum;
}

// The first form counts what the driver keeps as used; the second has it apart.
nvmlReturn_t DeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *to) {
    return on(
        device,
        [&](int number) {
            const Memory memory = memory_of(number);
            const unsigned long long used = memory.used + memory.reserved;
            *to = {memory.total, memory.total - used, used};
        },
        to);
}

nvmlReturn_t DeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *to) {
    return on(
        device,
        [&](int number) -> nvmlReturn_t {
            if (to->version != version_of<nvmlMemory_v2_t>(2)) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
            const Memory memory = memory_of(number);
            *to = {to->version, memory.total, memory.reserved, memory.total - memory.reserved - memory.used,
                   memory.used};
            return NVML_SUCCESS;
        },
        to);
}

nvmlReturn_t DeviceGetBAR1MemoryInfo(nvmlDevice_t device, nvmlBAR1Memory_t *to) {
    return give(device, to, nvmlBAR1Memory_t{card().bar1, card().bar1, 0}, card().bar1 > 0);
}

nvmlReturn_t DeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t *to) {
    return on(
        device,
        [&](int number) {
            const LoadOf load = load_of(number);
            *to = {load.kernels, load.memory};
        },
        to);
}

nvmlReturn_t DeviceGetEncoderUtilization(nvmlDevice_t device, unsigned *utilization, unsigned *period) {
    return at_rest(device, utilization, period);
}
nvmlReturn_t DeviceGetDecoderUtilization(nvmlDevice_t device, unsigned *utilization, unsigned *period) {
    return at_rest(device, utilization, period);
}
nvmlReturn_t DeviceGetJpgUtilization(nvmlDevice_t device, unsigned *utilization, unsigned *period) {
    return at_rest(device, utilization, period);
}
nvmlReturn_t DeviceGetOfaUtilization(nvmlDevice_t device, unsigned *utilization, unsigned *period) {
    return at_rest(device, utilization, period);
}
nvmlReturn_t DeviceGetEncoderStats(nvmlDevice_t device, unsigned *sessions, unsigned *frames,
                                   unsigned *latency) {
    return on(device, [&](int) { *sessions = *frames = *latency = 0; }, sessions, frames, latency);
}
nvmlReturn_t DeviceGetEncoderSessions(nvmlDevice_t device, unsigned *count, nvmlEncoderSessionInfo_t *) {
    return give(device, count, 0);
}
nvmlReturn_t DeviceGetFBCStats(nvmlDevice_t device, nvmlFBCStats_t *to) {
    return give(device, to, nvmlFBCStats_t{});
}
nvmlReturn_t DeviceGetFBCSessions(nvmlDevice_t device, unsigned *count, nvmlFBCSessionInfo_t *) {
    return give(device, count, 0);
}

nvmlReturn_t DeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned *count,
                                                 nvmlProcessInfo_t *to) {
    return on(
        device,
        [&](int number) {
            std::vector<nvmlProcessInfo_t> all;
            for (const Activity &one : activities(number))
                all.push_back({static_cast<unsigned>(one.process), one.memory, no_instance, no_instance});
            return give_list(count, to, all);
        },
        count);
}
nvmlReturn_t DeviceGetGraphicsRunningProcesses_v3(nvmlDevice_t device, unsigned *count,
                                                  nvmlProcessInfo_t *to) {
    return no_processes(device, count, to);
}
nvmlReturn_t DeviceGetMPSComputeRunningProcesses_v3(nvmlDevice_t device, unsigned *count,
                                                    nvmlProcessInfo_t *to) {
    return no_processes(device, count, to);
}

nvmlReturn_t DeviceGetRunningProcessDetailList(nvmlDevice_t device, nvmlProcessDetailList_t *list) {
    return on(
        device,
        [&](int number) -> nvmlReturn_t {
            if (list->version != version_of<nvmlProcessDetailList_t>(1))
                return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
            constexpr unsigned compute = 0, modes = 3, everything = 3;
            if (list->mode > modes) return NVML_ERROR_INVALID_ARGUMENT;
            std::vector<nvmlProcessDetail_v1_t> all;
            if (list->mode == compute || list->mode == everything) {
                for (const Activity &one : activities(number))
                    all.push_back(
                        {static_cast<unsigned>(one.process), one.memory, no_instance, no_instance, 0});
            }
            return give_list(&list->numProcArrayEntries, list->procArray, all);
        },
        list);
}

// Of processes that were busy since then. All samples are of now: they cover the last second.
nvmlReturn_t DeviceGetProcessUtilization(nvmlDevice_t device, nvmlProcessUtilizationSample_t *to,
                                         unsigned *count, unsigned long long after) {
    return on(
        device,
        [&](int number) -> nvmlReturn_t {
            std::vector<nvmlProcessUtilizationSample_t> all;
            const unsigned long long now = since_the_epoch();
            for (const Activity &one : activities(number)) {
                if (now > after)
                    all.push_back(
                        {static_cast<unsigned>(one.process), now, one.kernels, one.memory_use, 0, 0});
            }
            if (all.empty()) return NVML_ERROR_NOT_FOUND;
            if (!to) {
                *count = static_cast<unsigned>(all.size());
                return NVML_ERROR_INSUFFICIENT_SIZE;
            }
            return give_list(count, to, all);
        },
        count);
}

nvmlReturn_t DeviceGetProcessesUtilizationInfo(nvmlDevice_t device, nvmlProcessesUtilizationInfo_t *info) {
    return on(
        device,
        [&](int number) -> nvmlReturn_t {
            if (info->version != version_of<nvmlProcessesUtilizationInfo_t>(1))
                return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
            std::vector<nvmlProcessUtilizationInfo_v1_t> all;
            const unsigned long long now = since_the_epoch();
            for (const Activity &one : activities(number)) {
                if (now > info->lastSeenTimeStamp)
                    all.push_back(
                        {now, static_cast<unsigned>(one.process), one.kernels, one.memory_use, 0, 0, 0, 0});
            }
            if (all.empty()) return NVML_ERROR_NOT_FOUND;
            if (!info->procUtilArray) info->processSamplesCount = 0;
            return give_list(&info->processSamplesCount, info->procUtilArray, all);
        },
        info);
}

} // namespace pygpu::host::nvml
