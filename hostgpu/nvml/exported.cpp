// The symbols of libnvidia-ml.so.1, defined from the generator's table: each checks that NVML is initialised
// and calls its function, or answers "not supported".
#include "nvml/answers.hpp"

#include <new>

#define PYGPU_EXPORT extern "C" __attribute__((visibility("default")))

namespace pygpu::host::nvml {
namespace {

// nvml.h: these work before nvmlInit() and after nvmlShutdown().
constexpr std::string_view without_init[] = {"nvmlInit_v2",
                                             "nvmlInitWithFlags",
                                             "nvmlShutdown",
                                             "nvmlSystemGetNVMLVersion",
                                             "nvmlSystemGetCudaDriverVersion",
                                             "nvmlSystemGetCudaDriverVersion_v2"};

constexpr bool needs_init(std::string_view symbol) {
    for (const std::string_view one : without_init) {
        if (one == symbol) return false;
    }
    return true;
}

template <class Result, class Body> Result guarded(bool needs_init, Body body) {
    if constexpr (!std::is_same_v<Result, nvmlReturn_t>) {
        return body();
    } else {
        if (needs_init && !is_initialized()) return NVML_ERROR_UNINITIALIZED;
        try {
            return body();
        } catch (const std::bad_alloc &) {
            return NVML_ERROR_MEMORY;
        } catch (...) {
            return NVML_ERROR_UNKNOWN;
        }
    }
}

} // namespace
} // namespace pygpu::host::nvml

namespace pygpu::nvml {

using host::nvml::guarded;
using host::nvml::is_initialized;
using host::nvml::needs_init;

#define IMPLEMENTED(symbol, function, result, parameters, arguments)                                         \
    PYGPU_EXPORT result symbol parameters {                                                                  \
        return guarded<result>(needs_init(#symbol), [&] { return host::nvml::function arguments; });         \
    }
#define UNSUPPORTED(symbol, function, result, types)                                                         \
    PYGPU_EXPORT result symbol types {                                                                       \
        return is_initialized() ? NVML_ERROR_NOT_SUPPORTED : NVML_ERROR_UNINITIALIZED;                       \
    }
#include "nvml/host_library.inc"
#undef IMPLEMENTED
#undef UNSUPPORTED

// Older forms, which nvml.h declares under NVML_NO_UNVERSIONED_FUNC_DEFS alone. Their structs are the
// beginnings of the later ones.
#define PYGPU_OLD(symbol, parameters, body)                                                                  \
    PYGPU_EXPORT nvmlReturn_t symbol parameters {                                                            \
        return guarded<nvmlReturn_t>(needs_init(#symbol "_v2"), [&]() -> nvmlReturn_t { return body; });     \
    }
#define PYGPU_OLD_UNSUPPORTED(symbol) PYGPU_OLD(symbol, (), NVML_ERROR_NOT_SUPPORTED)

PYGPU_OLD(nvmlInit, (), host::nvml::Init_v2())
PYGPU_OLD(nvmlDeviceGetCount, (unsigned *count), host::nvml::DeviceGetCount_v2(count))
PYGPU_OLD(nvmlDeviceGetHandleByIndex, (unsigned index, nvmlDevice_t *device),
          host::nvml::DeviceGetHandleByIndex_v2(index, device))
PYGPU_OLD(nvmlDeviceGetHandleByPciBusId, (const char *id, nvmlDevice_t *device),
          host::nvml::DeviceGetHandleByPciBusId_v2(id, device))
// The first form has no subsystem and no long name of the bus; the second has the space for them.
PYGPU_OLD(nvmlDeviceGetPciInfo, (nvmlDevice_t device, nvmlPciInfo_t *pci), ([&]() -> nvmlReturn_t {
              nvmlPciInfo_t whole{};
              if (!pci) return NVML_ERROR_INVALID_ARGUMENT;
              const nvmlReturn_t status = host::nvml::DeviceGetPciInfo_v3(device, &whole);
              if (status == NVML_SUCCESS)
                  std::memcpy(static_cast<void *>(pci), &whole, offsetof(nvmlPciInfo_t, pciSubSystemId));
              return status;
          }()))
PYGPU_OLD(nvmlDeviceGetPciInfo_v2, (nvmlDevice_t device, nvmlPciInfo_t *pci), ([&]() -> nvmlReturn_t {
              nvmlPciInfo_t whole{};
              if (!pci) return NVML_ERROR_INVALID_ARGUMENT;
              const nvmlReturn_t status = host::nvml::DeviceGetPciInfo_v3(device, &whole);
              if (status == NVML_SUCCESS)
                  std::memcpy(static_cast<void *>(pci), &whole, offsetof(nvmlPciInfo_t, busId));
              return status;
          }()))
PYGPU_OLD(nvmlDeviceGetNvLinkRemotePciInfo, (nvmlDevice_t device, unsigned link, nvmlPciInfo_t *pci),
          ([&]() -> nvmlReturn_t {
              nvmlPciInfo_t whole{};
              if (!pci) return NVML_ERROR_INVALID_ARGUMENT;
              const nvmlReturn_t status = host::nvml::DeviceGetNvLinkRemotePciInfo_v2(device, link, &whole);
              if (status == NVML_SUCCESS)
                  std::memcpy(static_cast<void *>(pci), &whole, offsetof(nvmlPciInfo_t, busId));
              return status;
          }()))

namespace {

struct FirstProcessInfo {
    unsigned pid;
    unsigned long long memory;
};

template <class List> nvmlReturn_t first_form(List list, nvmlDevice_t device, unsigned *count, void *to) {
    if (!count || (*count && !to)) return NVML_ERROR_INVALID_ARGUMENT;
    std::vector<nvmlProcessInfo_t> all(*count);
    const nvmlReturn_t status = list(device, count, all.data());
    for (unsigned index = 0; status == NVML_SUCCESS && index < *count; ++index)
        static_cast<FirstProcessInfo *>(to)[index] = {all[index].pid, all[index].usedGpuMemory};
    return status;
}

} // namespace

#define PYGPU_OLD_LIST(name)                                                                                 \
    PYGPU_OLD(nvml##name, (nvmlDevice_t device, unsigned *count, void *to),                                  \
              first_form(host::nvml::name##_v3, device, count, to))                                          \
    PYGPU_OLD(nvml##name##_v2, (nvmlDevice_t device, unsigned *count, nvmlProcessInfo_t *to),                \
              host::nvml::name##_v3(device, count, to))
PYGPU_OLD_LIST(DeviceGetComputeRunningProcesses)
PYGPU_OLD_LIST(DeviceGetGraphicsRunningProcesses)
PYGPU_OLD_LIST(DeviceGetMPSComputeRunningProcesses)

PYGPU_OLD_UNSUPPORTED(nvmlDeviceGetGridLicensableFeatures)
PYGPU_OLD_UNSUPPORTED(nvmlDeviceGetGridLicensableFeatures_v2)
PYGPU_OLD_UNSUPPORTED(nvmlDeviceGetGridLicensableFeatures_v3)
PYGPU_OLD_UNSUPPORTED(nvmlDeviceRemoveGpu)
PYGPU_OLD_UNSUPPORTED(nvmlEventSetWait)
PYGPU_OLD_UNSUPPORTED(nvmlDeviceGetAttributes)
PYGPU_OLD_UNSUPPORTED(nvmlComputeInstanceGetInfo)
PYGPU_OLD_UNSUPPORTED(nvmlDeviceGetGpuInstancePossiblePlacements)
PYGPU_OLD_UNSUPPORTED(nvmlVgpuInstanceGetLicenseInfo)

} // namespace pygpu::nvml
