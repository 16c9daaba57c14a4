// CUDA's error state, names, texts and versions.
#include "api/cuda/implemented.hpp"
#include "base/error_texts.hpp"
#include "device/device.hpp"
#include "host_apis.hpp"

namespace pygpu::host::cuda {

Status GetLastError() {
    initialize_driver();
    return api::GetLastError(static_cast<int>(Vendor::cuda));
}

Status PeekAtLastError() {
    initialize_driver();
    return api::PeekAtLastError(static_cast<int>(Vendor::cuda));
}

const char *GetErrorName(int code) {
    const ErrorText *entry = find_error(error_texts, code);
    return entry ? entry->name : "unrecognized error code";
}

const char *GetErrorString(int code) {
    const ErrorText *entry = find_error(error_texts, code);
    return entry ? entry->text : "unrecognized error code";
}

Status RuntimeGetVersion(int *version) {
    if (!version) return Status::invalid_value;
    *version = release_number;
    return Status::success;
}

Status DriverGetVersion(int *version) {
    initialize_driver();
    return RuntimeGetVersion(version);
}

} // namespace pygpu::host::cuda
