// HIP's error state, names, texts and versions.
#include "api/hip/implemented.hpp"
#include "base/error_texts.hpp"
#include "base/thread.hpp"
#include "host_apis.hpp"

#include <utility>

namespace pygpu::host::hip {
namespace {

// What hip_error.cpp of ROCm/clr says of codes that it doesn't know.
constexpr const char *unknown_name = "hipErrorUnknown", *unknown_text = "unknown error";

} // namespace

Status GetLastError() { return api::GetLastError(static_cast<int>(Vendor::hip)); }

Status PeekAtLastError() { return api::PeekAtLastError(static_cast<int>(Vendor::hip)); }

Status ExtGetLastError() { return static_cast<Status>(std::exchange(thread().last_status, 0)); }

const char *GetErrorName(int code) {
    const ErrorText *entry = find_error(error_texts, code);
    return entry ? entry->name : unknown_name;
}

const char *GetErrorString(int code) {
    const ErrorText *entry = find_error(error_texts, code);
    return entry ? entry->text : unknown_text;
}

Status DrvGetErrorName(int code, const char **name) {
    if (!name) return Status::invalid_value;
    const ErrorText *entry = find_error(error_texts, code);
    *name = entry ? entry->name : unknown_name;
    return entry ? Status::success : Status::invalid_value;
}

Status DrvGetErrorString(int code, const char **text) {
    if (!text) return Status::invalid_value;
    const ErrorText *entry = find_error(error_texts, code);
    *text = entry ? entry->text : unknown_text;
    return entry ? Status::success : Status::invalid_value;
}

Status RuntimeGetVersion(int *version) {
    if (!version) return Status::invalid_value;
    *version = release_number;
    return Status::success;
}

} // namespace pygpu::host::hip
