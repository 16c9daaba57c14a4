// How the functions check what they are given, and answer. Their order of checks: NVML is initialised, the
// handle is one, the pointers aren't null.
#pragma once

#include "base/settings.hpp"
#include "nvml/implemented.hpp"

#include <cstdio>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <vector>

namespace pygpu::host::nvml {

bool is_initialized();

// Handles of the machine's devices, whatever CUDA_VISIBLE_DEVICES says; -1 for anything else.
inline int device_count() { return settings().devices; }
nvmlDevice_t handle_of(int number);
int number_of(nvmlDevice_t device);

inline const Profile &card() { return *settings().profile; }
// A device that stands for a card. One that doesn't has no board, no sensors and no bus.
inline bool has_board() { return card().name; }

// Calls body(number), if the device exists and no pointer is null. It may return a status.
template <class Body, class... Pointers>
nvmlReturn_t on(nvmlDevice_t device, Body body, const Pointers *...pointers) {
    const int number = number_of(device);
    if (number < 0 || (!pointers || ...)) return NVML_ERROR_INVALID_ARGUMENT;
    if constexpr (std::is_void_v<decltype(body(number))>) {
        body(number);
        return NVML_SUCCESS;
    } else {
        return body(number);
    }
}

// One value, if the device has it.
template <class To, class From> nvmlReturn_t give(nvmlDevice_t device, To *to, From value, bool has = true) {
    return on(
        device,
        [&](int) {
            if (!has) return nvmlReturn_t{NVML_ERROR_NOT_SUPPORTED};
            *to = static_cast<To>(value);
            return nvmlReturn_t{NVML_SUCCESS};
        },
        to);
}

inline nvmlReturn_t give_text(char *to, unsigned length, std::string_view text) {
    if (!to) return NVML_ERROR_INVALID_ARGUMENT;
    if (length <= text.size()) return NVML_ERROR_INSUFFICIENT_SIZE;
    text.copy(to, text.size());
    to[text.size()] = 0;
    return NVML_SUCCESS;
}

// A list, whose size is returned even where it is too large for the caller's array.
template <class To> nvmlReturn_t give_list(unsigned *count, To *to, const std::vector<To> &from) {
    if (!count || (*count && !to)) return NVML_ERROR_INVALID_ARGUMENT;
    const bool fits = *count >= from.size();
    *count = static_cast<unsigned>(from.size());
    if (!fits) return NVML_ERROR_INSUFFICIENT_SIZE;
    if (!from.empty()) std::memcpy(static_cast<void *>(to), from.data(), from.size() * sizeof(To));
    return NVML_SUCCESS;
}

// What a struct says of itself in its first field: NVML_STRUCT_VERSION of nvml.h.
template <class Struct> constexpr unsigned version_of(unsigned number) {
    return static_cast<unsigned>(sizeof(Struct)) | number << 24;
}

// How busy a device is, in percent, and whether any process uses it.
struct LoadOf {
    unsigned kernels = 0, memory = 0;
    bool used = false;
};
LoadOf load_of(int number);
// Bytes of its memory that processes hold.
std::size_t memory_in_use(int number);

void fill_pci(int number, nvmlPciInfo_t &to);
// The device at the other end of an NVLink, or -1: a card's links are shared out among the other devices.
int behind_link(int number, unsigned link);

// What no CPU has: made up from the card's facts and the load.
unsigned milliwatts_of(int number);
int degrees_of(int number);
unsigned clock_of(int number, nvmlClockType_t type);
unsigned most_of(nvmlClockType_t type);

} // namespace pygpu::host::nvml
