// Reading the variables as the vendors' drivers do. NVIDIA's: asked of an H200 (driver 13.0). AMD's: class
// RvdFilter of ROCm/rocm-systems (rocr-runtime/.../amd_filter_device.cpp), and Device::init() of ROCm/clr
// (rocclr/device/rocm/rocdevice.cpp).
#include "base/visible.hpp"

#include "base/settings.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace pygpu::host {
namespace {

using Devices = std::vector<int>;

constexpr int no_number = -1;

std::string upper(std::string_view text) {
    std::string result(text);
    for (char &one : result) {
        if (one >= 'a' && one <= 'z') one = static_cast<char>(one - 'a' + 'A');
    }
    return result;
}

// "GPU-5079475000000001"
std::string amd_name(int number) {
    Uuid digits;
    amd_uuid(number, digits);
    return "GPU-" + std::string(reinterpret_cast<const char *>(digits), sizeof digits);
}

// The index of the only one of `names` for which is(name) is true; `no_number` where there are more or none.
template <class Is> int only_one(const std::vector<std::string> &names, Is is) {
    int match = no_number;
    for (std::size_t index = 0; index < names.size(); ++index) {
        if (!is(std::string_view(names[index]))) continue;
        if (match != no_number) return no_number;
        match = static_cast<int>(index);
    }
    return match;
}

// Calls take(part) for each part between commas until it returns false.
template <class Take> void each_part(std::string_view text, Take take) {
    for (;;) {
        const std::size_t comma = text.find(',');
        if (!take(text.substr(0, comma)) || comma == text.npos) return;
        text.remove_prefix(comma + 1);
    }
}

// Numbers, or beginnings of names: a part of the other kind ends the list, and so does an unknown device.
// What follows a number or a whole name doesn't count. `twice` says that a device was named twice.
Devices chosen_by_nvidia(std::string_view text, int count, bool &twice) {
    constexpr std::string_view prefix = "GPU-";
    std::vector<std::string> names;
    names.reserve(static_cast<std::size_t>(count));
    for (int number = 0; number < count; ++number) names.push_back(nvidia_name(number));
    const bool by_name = text.starts_with(prefix);
    Devices devices;
    each_part(text, [&](std::string_view part) {
        int number = no_number;
        if (by_name && part.starts_with(prefix) && part.size() > prefix.size()) {
            number = only_one(
                names, [=](std::string_view name) { return name.starts_with(part.substr(0, name.size())); });
        } else if (!by_name) {
            const std::string digits(part);
            char *end = nullptr;
            const long read = std::strtol(digits.c_str(), &end, 10);
            if (end != digits.c_str() && read >= 0 && read < count) number = static_cast<int>(read);
        }
        if (number == no_number) return false;
        twice |= std::ranges::find(devices, number) != devices.end();
        devices.push_back(number);
        return true;
    });
    return devices;
}

// A number in any of C's notations, or the only device whose name starts so, in any case. A device that was
// named before ends the list. Of the parts only as many count as there are devices.
Devices chosen_by_rocr(std::string_view text, int count) {
    std::vector<std::string> names;
    names.reserve(static_cast<std::size_t>(count));
    for (int number = 0; number < count; ++number) names.push_back(upper(amd_name(number)));
    constexpr std::size_t shortest = 5, longest = 20;
    Devices devices;
    each_part(text, [&](std::string_view part) {
        const std::size_t first = part.find_first_not_of(' '), last = part.find_last_not_of(' ');
        const std::string one = first == part.npos ? "" : upper(part.substr(first, last - first + 1));
        int number = no_number;
        if (one.starts_with('G')) {
            if (one.size() >= shortest && one.size() <= longest)
                number = only_one(names, [&](std::string_view name) { return name.starts_with(one); });
        } else {
            char *end = nullptr;
            const long read = std::strtol(one.c_str(), &end, 0);
            if (!one.empty() && !*end && read >= 0 && read < count) number = static_cast<int>(read);
        }
        if (number == no_number || std::ranges::find(devices, number) != devices.end()) return false;
        devices.push_back(number);
        return static_cast<int>(devices.size()) < count;
    });
    return devices;
}

// Of the devices that are left: numbers as they are printed, or the first device whose name has the part. A
// device that was named before is left out.
Devices chosen_by_hip(std::string_view text, const Devices &left) {
    Devices devices;
    each_part(text, [&](std::string_view part) {
        std::string one(part);
        if (one.find("GPU-") != one.npos) {
            const auto entry = std::ranges::find_if(
                left, [&](int number) { return amd_name(number).find(one) != std::string::npos; });
            if (entry != left.end()) one = std::to_string(entry - left.begin());
        }
        const int index = std::atoi(one.c_str());
        if (index < 0 || static_cast<std::size_t>(index) >= left.size() || one != std::to_string(index))
            return false;
        const int number = left[static_cast<std::size_t>(index)];
        if (std::ranges::find(devices, number) == devices.end()) devices.push_back(number);
        return true;
    });
    return devices;
}

Visible read_visible() {
    const int count = settings().devices;
    Devices all;
    for (int number = 0; number < count; ++number) all.push_back(number);
    const char *cuda = std::getenv("CUDA_VISIBLE_DEVICES");
    const char *hip = std::getenv("HIP_VISIBLE_DEVICES");
    const char *rocr = std::getenv("ROCR_VISIBLE_DEVICES");
    const char *of_hip = hip && *hip ? hip : cuda;
    const Devices left = rocr ? chosen_by_rocr(rocr, count) : all;
    Visible visible;
    visible.nvidia = cuda ? chosen_by_nvidia(cuda, count, visible.nvidia_twice) : all;
    if (visible.nvidia_twice) visible.nvidia.clear();
    visible.amd = of_hip && *of_hip ? chosen_by_hip(of_hip, left) : left;
    return visible;
}

} // namespace

const Visible &visible() {
    static const auto *all = new Visible(read_visible()); // never destroyed: threads outlive main
    return *all;
}

void nvidia_uuid(int number, Uuid &bytes) {
    // A name of this library's own, the same on every machine: there is no hardware to identify.
    const Uuid own = {'P', 'y', 'G', 'P', 'U', ' ', 'h', 'o', 's', 't'};
    std::memcpy(bytes, own, sizeof bytes);
    bytes[15] = static_cast<unsigned char>(number);
}

std::string nvidia_name(int number) {
    Uuid bytes;
    nvidia_uuid(number, bytes);
    std::string name = "GPU";
    for (int index = 0; index < 16; ++index) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", bytes[index]);
        if (index == 0 || (index >= 4 && index <= 10 && index % 2 == 0)) name += '-';
        name += digits;
    }
    return name;
}

void amd_uuid(int number, Uuid &digits) {
    char text[sizeof digits + 1];
    std::snprintf(text, sizeof text, "50794750%08x", static_cast<unsigned>(number)); // "PyGP"
    std::memcpy(digits, text, sizeof digits);
}

} // namespace pygpu::host
