// Starting and stopping, versions, texts of codes, and what a machine has besides devices.
#include "host_apis.hpp"
#include "nvml/answers.hpp"

#include <atomic>
#include <string>
#include <unistd.h>

namespace pygpu::host::nvml {
namespace {

// Of the first driver for this release of CUDA, as in the versions of PyPI's nvidia-ml-py.
constexpr const char *driver = "615.71", *branch = "r615_00";

std::atomic<int> users{0};

} // namespace

bool is_initialized() { return users > 0; }

nvmlReturn_t InitWithFlags(unsigned) {
    ++users;
    return NVML_SUCCESS;
}
nvmlReturn_t Init_v2() { return InitWithFlags(0); }

// Each start needs its own stop.
nvmlReturn_t Shutdown() {
    int now = users;
    do {
        if (!now) return NVML_ERROR_UNINITIALIZED;
    } while (!users.compare_exchange_weak(now, now - 1));
    return NVML_SUCCESS;
}

const char *ErrorString(nvmlReturn_t result) {
    switch (static_cast<int>(result)) {
#define CODE(number, text)                                                                                   \
    case number:                                                                                             \
        return text;
#include "nvml/host_library.inc"
#undef CODE
    default:
        return "Unknown Error";
    }
}

nvmlReturn_t SystemGetDriverVersion(char *version, unsigned length) {
    return give_text(version, length, driver);
}

nvmlReturn_t SystemGetNVMLVersion(char *version, unsigned length) {
    return give_text(version, length, std::to_string(cu::release_number / 1000) + "." + driver);
}

nvmlReturn_t SystemGetCudaDriverVersion(int *version) {
    if (!version) return NVML_ERROR_INVALID_ARGUMENT;
    *version = cu::release_number;
    return NVML_SUCCESS;
}
nvmlReturn_t SystemGetCudaDriverVersion_v2(int *version) { return SystemGetCudaDriverVersion(version); }

nvmlReturn_t SystemGetDriverBranch(nvmlSystemDriverBranchInfo_t *info, unsigned length) {
    if (!info) return NVML_ERROR_INVALID_ARGUMENT;
    if (info->version != version_of<nvmlSystemDriverBranchInfo_t>(1))
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    return give_text(info->branch, std::min<unsigned>(length, sizeof info->branch), branch);
}

// The path of its program; what doesn't fit is cut off.
nvmlReturn_t SystemGetProcessName(unsigned pid, char *name, unsigned length) {
    if (!name || !length) return NVML_ERROR_INVALID_ARGUMENT;
    const std::string link = "/proc/" + std::to_string(pid);
    if (access(link.c_str(), F_OK)) return NVML_ERROR_NOT_FOUND;
    const ssize_t read = readlink((link + "/exe").c_str(), name, length - 1);
    if (read < 0) return NVML_ERROR_NO_PERMISSION;
    name[read] = 0;
    return NVML_SUCCESS;
}

nvmlReturn_t SystemGetHicVersion(unsigned *count, nvmlHwbcEntry_t *) {
    if (!count) return NVML_ERROR_INVALID_ARGUMENT;
    *count = 0;
    return NVML_SUCCESS;
}

// All devices are near every processor.
nvmlReturn_t SystemGetTopologyGpuSet(unsigned cpu, unsigned *count, nvmlDevice_t *devices) {
    const long processors = sysconf(_SC_NPROCESSORS_CONF);
    if (!count || (processors > 0 && cpu >= static_cast<unsigned long>(processors)))
        return NVML_ERROR_INVALID_ARGUMENT;
    std::vector<nvmlDevice_t> all;
    all.reserve(static_cast<std::size_t>(device_count()));
    for (int number = 0; number < device_count(); ++number) all.push_back(handle_of(number));
    if (!devices && !*count) { // asks how many
        *count = static_cast<unsigned>(all.size());
        return NVML_SUCCESS;
    }
    return give_list(count, devices, all);
}

// There are no units of racks, and no devices that were left out.
nvmlReturn_t UnitGetCount(unsigned *count) {
    if (!count) return NVML_ERROR_INVALID_ARGUMENT;
    *count = 0;
    return NVML_SUCCESS;
}
nvmlReturn_t UnitGetHandleByIndex(unsigned, nvmlUnit_t *) { return NVML_ERROR_INVALID_ARGUMENT; }
nvmlReturn_t GetExcludedDeviceCount(unsigned *count) { return UnitGetCount(count); }
nvmlReturn_t GetExcludedDeviceInfoByIndex(unsigned, nvmlExcludedDeviceInfo_t *) {
    return NVML_ERROR_INVALID_ARGUMENT;
}

} // namespace pygpu::host::nvml
