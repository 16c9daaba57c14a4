// The devices of this process.
#include "device/device.hpp"

#include "base/call.hpp"
#include "base/process.hpp"
#include "base/settings.hpp"
#include "base/thread.hpp"
#include "base/visible.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace pygpu::host {
namespace {

std::vector<std::unique_ptr<Device>> &all() {
    static auto *devices = [] {
        auto *instance = new std::vector<std::unique_ptr<Device>>;
        for (int number = 0; number < settings().devices; ++number)
            instance->push_back(std::make_unique<Device>(number));
        return instance;
    }();
    return *devices;
}

const std::vector<int> &visible_here() { return on_hip() ? visible().amd : visible().nvidia; }

} // namespace

Device::Device(int number)
    : number(number), default_pool(std::make_shared<Pool>(number, true)), pool(default_pool) {
    default_pool->member.enter(pools);
}

std::size_t Device::limit(int limit) {
    static constexpr std::size_t defaults[known_limits] = {
        1024, std::size_t{1} << 20, std::size_t{8} << 20, 2, 2048, 128, 0};
    std::lock_guard lock(mutex);
    const auto entry = limits.find(limit);
    return entry == limits.end() ? defaults[limit] : entry->second;
}

void Device::trim_pools() {
    pools.each([](Pool &pool) { pool.trim_to_threshold(); });
}

int device_count() { return static_cast<int>(visible_here().size()); }

void initialize_driver() {
    if (!process.initialized.load(std::memory_order_relaxed)) process.initialized = device_count() != 0;
}

Status no_device() {
    return !on_hip() && visible().nvidia_twice ? Status::invalid_device : Status::no_device;
}

int all_devices() { return static_cast<int>(all().size()); }

bool is_device(int number) { return number >= 0 && number < device_count(); }

Device &device(int number) { return *all()[static_cast<std::size_t>(number)]; }

Device &current_device() { return device(thread().device); }

int on_machine(int number) { return visible_here()[static_cast<std::size_t>(number)]; }

int seen_as(int number) {
    const auto &here = visible_here();
    const auto entry = std::ranges::find(here, number);
    return entry == here.end() ? -1 : static_cast<int>(entry - here.begin());
}

int pci_bus(int number) { return on_machine(number) + 1; }

void pci_bus_id(int number, char (&text)[16]) {
    std::snprintf(text, sizeof text, "0000:%02x:00.0", static_cast<unsigned>(pci_bus(number)) & 0xffu);
}

void device_uuid(int number, unsigned char (&bytes)[16]) {
    (on_hip() ? amd_uuid : nvidia_uuid)(on_machine(number), bytes);
}

void device_name(int number, char *text, std::size_t size) {
    const char *name = settings().profile->name;
    if (name && !on_hip())
        std::snprintf(text, size, "%s", name);
    else
        std::snprintf(text, size, "PyGPU host device %d", on_machine(number));
}

void trim_pools(int number) { device(number).trim_pools(); }

} // namespace pygpu::host
