// Buses and links: PCI, NVLink, and how devices and processors are connected.
#include "nvml/answers.hpp"

#include <algorithm>
#include <sched.h>

namespace pygpu::host::nvml {
namespace {

constexpr unsigned long bits = 8 * sizeof(unsigned long);

bool is_link(unsigned link) { return link < static_cast<unsigned>(card().nvlinks); }

// Calls body(number) for a link of the card.
template <class Body, class Pointer>
nvmlReturn_t on_link(nvmlDevice_t device, unsigned link, Pointer *to, Body body) {
    return on(
        device,
        [&](int number) -> nvmlReturn_t {
            if (!card().nvlinks) return NVML_ERROR_NOT_SUPPORTED;
            if (!is_link(link)) return NVML_ERROR_INVALID_ARGUMENT;
            return body(number);
        },
        to);
}

// "2500, 5000, 8000, …": megatransfers a second of a lane.
int transfers_of(int generation) {
    constexpr int each[] = {0, 2500, 5000, 8000, 16000, 32000, 64000};
    return each[generation];
}

bool are_linked(int number, int other) {
    for (unsigned link = 0; is_link(link); ++link) {
        if (behind_link(number, link) == other) return true;
    }
    return false;
}

} // namespace

void fill_pci(int number, nvmlPciInfo_t &to) {
    to = {};
    to.bus = static_cast<unsigned>(number) + 1;
    to.pciDeviceId = card().pci_device;
    to.pciSubSystemId = card().pci_subsystem;
    std::snprintf(to.busIdLegacy, sizeof to.busIdLegacy, "0000:%02X:00.0", to.bus & 0xffu);
    std::snprintf(to.busId, sizeof to.busId, "00000000:%02X:00.0", to.bus & 0xffu);
}

int behind_link(int number, unsigned link) {
    const int others = device_count() - 1;
    if (others < 1 || !is_link(link)) return -1;
    const int other = static_cast<int>(link) % others;
    return other < number ? other : other + 1;
}

nvmlReturn_t DeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci) {
    return on(device, [&](int number) { fill_pci(number, *pci); }, pci);
}

nvmlReturn_t DeviceGetPciInfoExt(nvmlDevice_t device, nvmlPciInfoExt_t *to) {
    return on(
        device,
        [&](int number) -> nvmlReturn_t {
            if (to->version != version_of<nvmlPciInfoExt_t>(1)) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
            nvmlPciInfo_t pci;
            fill_pci(number, pci);
            constexpr unsigned display = 3, controller_3d = 2; // PCI Code and ID Assignment Specification
            *to = {to->version,        pci.domain, pci.bus,       pci.device, pci.pciDeviceId,
                   pci.pciSubSystemId, display,    controller_3d, {}};
            std::copy(std::begin(pci.busId), std::end(pci.busId), to->busId);
            return NVML_SUCCESS;
        },
        to);
}

nvmlReturn_t DeviceGetMaxPcieLinkGeneration(nvmlDevice_t device, unsigned *generation) {
    return give(device, generation, card().pcie_generation, has_board());
}
nvmlReturn_t DeviceGetGpuMaxPcieLinkGeneration(nvmlDevice_t device, unsigned *generation) {
    return give(device, generation, card().pcie_generation, has_board());
}
nvmlReturn_t DeviceGetCurrPcieLinkGeneration(nvmlDevice_t device, unsigned *generation) {
    return give(device, generation, card().pcie_generation, has_board());
}
nvmlReturn_t DeviceGetMaxPcieLinkWidth(nvmlDevice_t device, unsigned *width) {
    return give(device, width, card().pcie_width, has_board());
}
nvmlReturn_t DeviceGetCurrPcieLinkWidth(nvmlDevice_t device, unsigned *width) {
    return give(device, width, card().pcie_width, has_board());
}
nvmlReturn_t DeviceGetPcieSpeed(nvmlDevice_t device, unsigned *speed) {
    return give(device, speed, transfers_of(card().pcie_generation), has_board());
}
// NVML_PCIE_LINK_MAX_SPEED_2500MBPS is 1, and so on.
nvmlReturn_t DeviceGetPcieLinkMaxSpeed(nvmlDevice_t device, unsigned *speed) {
    return give(device, speed, card().pcie_generation, has_board());
}
// Copies of the host runtime go over no bus.
nvmlReturn_t DeviceGetPcieThroughput(nvmlDevice_t device, nvmlPcieUtilCounter_t counter, unsigned *value) {
    if (static_cast<unsigned>(counter) >= static_cast<unsigned>(NVML_PCIE_UTIL_COUNT))
        return NVML_ERROR_INVALID_ARGUMENT;
    return give(device, value, 0, has_board());
}
nvmlReturn_t DeviceGetPcieReplayCounter(nvmlDevice_t device, unsigned *value) {
    return give(device, value, 0, has_board());
}

nvmlReturn_t DeviceGetNvLinkState(nvmlDevice_t device, unsigned link, nvmlEnableState_t *state) {
    return on_link(device, link, state, [&](int number) -> nvmlReturn_t {
        *state = behind_link(number, link) < 0 ? NVML_FEATURE_DISABLED : NVML_FEATURE_ENABLED;
        return NVML_SUCCESS;
    });
}

nvmlReturn_t DeviceGetNvLinkVersion(nvmlDevice_t device, unsigned link, unsigned *version) {
    return on_link(device, link, version, [&](int) -> nvmlReturn_t {
        // nvmlNvlinkVersion_enum counts 2.2 and 3.1, too.
        constexpr unsigned numbers[] = {0, 1, 2, 4, 6, 7};
        *version = numbers[card().nvlink_version];
        return NVML_SUCCESS;
    });
}

nvmlReturn_t DeviceGetNvLinkCapability(nvmlDevice_t device, unsigned link, nvmlNvLinkCapability_t capability,
                                       unsigned *has) {
    if (static_cast<unsigned>(capability) >= static_cast<unsigned>(NVML_NVLINK_CAP_COUNT))
        return NVML_ERROR_INVALID_ARGUMENT;
    return on_link(device, link, has, [&](int) -> nvmlReturn_t {
        *has = capability == NVML_NVLINK_CAP_P2P_SUPPORTED || capability == NVML_NVLINK_CAP_P2P_ATOMICS ||
               capability == NVML_NVLINK_CAP_VALID;
        return NVML_SUCCESS;
    });
}

nvmlReturn_t DeviceGetNvLinkRemotePciInfo_v2(nvmlDevice_t device, unsigned link, nvmlPciInfo_t *pci) {
    return on_link(device, link, pci, [&](int number) -> nvmlReturn_t {
        const int other = behind_link(number, link);
        if (other < 0) return NVML_ERROR_NOT_SUPPORTED;
        fill_pci(other, *pci);
        return NVML_SUCCESS;
    });
}

nvmlReturn_t DeviceGetNvLinkRemoteDeviceType(nvmlDevice_t device, unsigned link,
                                             nvmlIntNvLinkDeviceType_t *type) {
    return on_link(device, link, type, [&](int number) -> nvmlReturn_t {
        *type = behind_link(number, link) < 0 ? NVML_NVLINK_DEVICE_TYPE_UNKNOWN : NVML_NVLINK_DEVICE_TYPE_GPU;
        return NVML_SUCCESS;
    });
}

nvmlReturn_t DeviceGetNvLinkErrorCounter(nvmlDevice_t device, unsigned link, nvmlNvLinkErrorCounter_t counter,
                                         unsigned long long *value) {
    if (static_cast<unsigned>(counter) >= static_cast<unsigned>(NVML_NVLINK_ERROR_COUNT))
        return NVML_ERROR_INVALID_ARGUMENT;
    return on_link(device, link, value, [&](int) -> nvmlReturn_t {
        *value = 0;
        return NVML_SUCCESS;
    });
}

// Devices are on one node, each below a bridge of its own.
nvmlReturn_t DeviceGetTopologyCommonAncestor(nvmlDevice_t device, nvmlDevice_t other,
                                             nvmlGpuTopologyLevel_t *level) {
    if (number_of(other) < 0) return NVML_ERROR_INVALID_ARGUMENT;
    return give(device, level, device == other ? NVML_TOPOLOGY_INTERNAL : NVML_TOPOLOGY_NODE);
}

nvmlReturn_t DeviceGetTopologyNearestGpus(nvmlDevice_t device, nvmlGpuTopologyLevel_t level, unsigned *count,
                                          nvmlDevice_t *devices) {
    return on(
        device,
        [&](int number) -> nvmlReturn_t {
            std::vector<nvmlDevice_t> all;
            for (int other = 0; level == NVML_TOPOLOGY_NODE && other < device_count(); ++other) {
                if (other != number) all.push_back(handle_of(other));
            }
            if (!devices && !*count) { // asks how many
                *count = static_cast<unsigned>(all.size());
                return NVML_SUCCESS;
            }
            return give_list(count, devices, all);
        },
        count);
}

// All devices reach each other's memory; some by NVLink.
nvmlReturn_t DeviceGetP2PStatus(nvmlDevice_t device, nvmlDevice_t other, nvmlGpuP2PCapsIndex_t index,
                                nvmlGpuP2PStatus_t *status) {
    const int to = number_of(other);
    if (to < 0 || static_cast<unsigned>(index) >= static_cast<unsigned>(NVML_P2P_CAPS_INDEX_UNKNOWN))
        return NVML_ERROR_INVALID_ARGUMENT;
    return on(
        device,
        [&](int number) {
            const bool by_nvlink =
                index == NVML_P2P_CAPS_INDEX_NVLINK || index == NVML_P2P_CAPS_INDEX_ATOMICS;
            *status = by_nvlink && number != to && !are_linked(number, to) ? NVML_P2P_STATUS_NOT_SUPPORTED
                                                                           : NVML_P2P_STATUS_OK;
        },
        status);
}

nvmlReturn_t DeviceGetCpuAffinity(nvmlDevice_t device, unsigned size, unsigned long *set) {
    return on(
        device,
        [&](int) -> nvmlReturn_t {
            if (!size) return NVML_ERROR_INVALID_ARGUMENT;
            cpu_set_t mine;
            if (sched_getaffinity(0, sizeof mine, &mine)) return NVML_ERROR_UNKNOWN;
            std::fill_n(set, size, 0ul);
            for (unsigned cpu = 0; cpu < CPU_SETSIZE && cpu < size * bits; ++cpu) {
                if (CPU_ISSET(cpu, &mine)) set[cpu / bits] |= 1ul << cpu % bits;
            }
            return NVML_SUCCESS;
        },
        set);
}

nvmlReturn_t DeviceGetCpuAffinityWithinScope(nvmlDevice_t device, unsigned size, unsigned long *set,
                                             nvmlAffinityScope_t) {
    return DeviceGetCpuAffinity(device, size, set);
}

nvmlReturn_t DeviceGetMemoryAffinity(nvmlDevice_t device, unsigned size, unsigned long *set,
                                     nvmlAffinityScope_t) {
    return on(
        device,
        [&](int) -> nvmlReturn_t {
            if (!size) return NVML_ERROR_INVALID_ARGUMENT;
            std::fill_n(set, size, 0ul);
            set[0] = 1;
            return NVML_SUCCESS;
        },
        set);
}

} // namespace pygpu::host::nvml
