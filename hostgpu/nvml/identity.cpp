// Which devices there are, and what they are called.
#include "base/visible.hpp"
#include "nvml/answers.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <unistd.h>

namespace pygpu::host::nvml {
namespace {

// What handles point to: a place for each device.
std::array<char, 64> places;

// Boards for servers have one; these are nobody's.
std::string serial_of(int number) {
    char text[24];
    std::snprintf(text, sizeof text, "50794750%05d", number + 1); // "PyGP"
    return text;
}

template <class Is> nvmlReturn_t find_device(nvmlDevice_t *device, Is is) {
    for (int number = 0; number < device_count(); ++number) {
        if (!is(number)) continue;
        *device = handle_of(number);
        return NVML_SUCCESS;
    }
    return NVML_ERROR_NOT_FOUND;
}

} // namespace

nvmlDevice_t handle_of(int number) {
    return reinterpret_cast<nvmlDevice_t>(&places[static_cast<std::size_t>(number)]);
}

int number_of(nvmlDevice_t device) {
    const auto offset =
        reinterpret_cast<std::uintptr_t>(device) - reinterpret_cast<std::uintptr_t>(places.data());
    return offset < static_cast<std::uintptr_t>(device_count()) ? static_cast<int>(offset) : -1;
}

nvmlReturn_t DeviceGetCount_v2(unsigned *count) {
    if (!count) return NVML_ERROR_INVALID_ARGUMENT;
    *count = static_cast<unsigned>(device_count());
    return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t *device) {
    if (!device || index >= static_cast<unsigned>(device_count())) return NVML_ERROR_INVALID_ARGUMENT;
    *device = handle_of(static_cast<int>(index));
    return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device) {
    if (!uuid || !device) return NVML_ERROR_INVALID_ARGUMENT;
    return find_device(device, [&](int number) { return nvidia_name(number) == uuid; });
}

nvmlReturn_t DeviceGetHandleByUUIDV(const nvmlUUID_t *uuid, nvmlDevice_t *device) {
    if (!uuid || !device) return NVML_ERROR_INVALID_ARGUMENT;
    if (uuid->version != version_of<nvmlUUID_t>(1)) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    if (uuid->type == static_cast<unsigned>(NVML_UUID_TYPE_ASCII)) {
        const auto *text = reinterpret_cast<const char *>(&uuid->value);
        return DeviceGetHandleByUUID(std::string(text, strnlen(text, sizeof uuid->value)).c_str(), device);
    }
    if (uuid->type != static_cast<unsigned>(NVML_UUID_TYPE_BINARY)) return NVML_ERROR_INVALID_ARGUMENT;
    return find_device(device, [&](int number) {
        Uuid bytes;
        nvidia_uuid(number, bytes);
        return !std::memcmp(bytes, &uuid->value, sizeof bytes);
    });
}

nvmlReturn_t DeviceGetHandleBySerial(const char *serial, nvmlDevice_t *device) {
    if (!serial || !device) return NVML_ERROR_INVALID_ARGUMENT;
    return find_device(device, [&](int number) { return card().ecc && serial_of(number) == serial; });
}

// "0000:01:00.0", with any number of digits; the domain and the function may be left out.
nvmlReturn_t DeviceGetHandleByPciBusId_v2(const char *id, nvmlDevice_t *device) {
    if (!id || !device) return NVML_ERROR_INVALID_ARGUMENT;
    unsigned domain = 0, bus = 0, slot = 0;
    if (std::sscanf(id, "%x:%x:%x", &domain, &bus, &slot) < 3) {
        domain = 0;
        if (std::sscanf(id, "%x:%x", &bus, &slot) < 2) return NVML_ERROR_INVALID_ARGUMENT;
    }
    return find_device(device, [&](int number) {
        nvmlPciInfo_t pci;
        fill_pci(number, pci);
        return pci.domain == domain && pci.bus == bus && pci.device == slot;
    });
}

nvmlReturn_t DeviceGetName(nvmlDevice_t device, char *name, unsigned length) {
    return on(
        device,
        [&](int number) {
            return give_text(name, length,
                             has_board() ? card().name : "PyGPU host device " + std::to_string(number));
        },
        name);
}

nvmlReturn_t DeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned length) {
    return on(device, [&](int number) { return give_text(uuid, length, nvidia_name(number)); }, uuid);
}

nvmlReturn_t DeviceGetSerial(nvmlDevice_t device, char *serial, unsigned length) {
    return on(
        device,
        [&](int number) -> nvmlReturn_t {
            return card().ecc ? give_text(serial, length, serial_of(number)) : NVML_ERROR_NOT_SUPPORTED;
        },
        serial);
}

nvmlReturn_t DeviceGetBoardPartNumber(nvmlDevice_t device, char *number, unsigned length) {
    return on(
        device,
        [&](int) -> nvmlReturn_t {
            return card().board ? give_text(number, length, card().board) : NVML_ERROR_NOT_SUPPORTED;
        },
        number);
}

nvmlReturn_t DeviceGetVbiosVersion(nvmlDevice_t device, char *version, unsigned length) {
    return on(
        device,
        [&](int) -> nvmlReturn_t {
            return has_board() ? give_text(version, length, card().vbios) : NVML_ERROR_NOT_SUPPORTED;
        },
        version);
}

nvmlReturn_t DeviceGetIndex(nvmlDevice_t device, unsigned *index) {
    return give(device, index, number_of(device));
}
nvmlReturn_t DeviceGetMinorNumber(nvmlDevice_t device, unsigned *minor) {
    return give(device, minor, number_of(device));
}
nvmlReturn_t DeviceGetModuleId(nvmlDevice_t device, unsigned *id) {
    return give(device, id, number_of(device) + 1, card().nvlinks > 0);
}
nvmlReturn_t DeviceGetBoardId(nvmlDevice_t device, unsigned *id) {
    return give(device, id, (number_of(device) + 1) << 8);
}
nvmlReturn_t DeviceGetMultiGpuBoard(nvmlDevice_t device, unsigned *several) {
    return give(device, several, 0);
}
nvmlReturn_t DeviceOnSameBoard(nvmlDevice_t device, nvmlDevice_t other, int *same) {
    if (number_of(other) < 0) return NVML_ERROR_INVALID_ARGUMENT;
    return give(device, same, device == other);
}
nvmlReturn_t DeviceGetBrand(nvmlDevice_t device, nvmlBrandType_t *brand) {
    return give(device, brand, has_board() ? card().brand : 0);
}

// That of the compute capability, which may be set apart from the card.
nvmlReturn_t DeviceGetArchitecture(nvmlDevice_t device, nvmlDeviceArchitecture_t *architecture) {
    constexpr int turing = 6, ampere = 7, ada = 8, hopper = 9, blackwell = 10;
    const int major = settings().major, minor = settings().minor;
    const int one = major >= 10  ? blackwell
                    : major == 9 ? hopper
                    : major == 8 ? (minor == 9 ? ada : ampere)
                    : major == 7 ? (minor == 5 ? turing : turing - 1)
                                 : major - 1;
    return give(device, architecture, std::max(one, 2));
}

nvmlReturn_t DeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor) {
    return on(
        device,
        [&](int) {
            *major = settings().major;
            *minor = settings().minor;
        },
        major, minor);
}

nvmlReturn_t DeviceGetNumGpuCores(nvmlDevice_t device, unsigned *cores) {
    return give(device, cores, card().multiprocessors * card().cores, has_board());
}
nvmlReturn_t DeviceGetMemoryBusWidth(nvmlDevice_t device, unsigned *width) {
    return give(device, width, card().memory_bits);
}

} // namespace pygpu::host::nvml
