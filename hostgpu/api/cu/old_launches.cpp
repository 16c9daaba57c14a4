// Launches as before CUDA 4: a function keeps its block, its shared memory and its arguments.
#include "api/cu/implemented.hpp"

#include "api/cu/translate.hpp"
#include "api/launches.hpp"
#include "code/modules.hpp"
#include "device/facts.hpp"
#include "image/texture_objects.hpp"

#include <cstring>
#include <map>
#include <mutex>
#include <vector>

namespace pygpu::host::cu {
namespace {

constexpr unsigned most_arguments = 32764; // CUDA C++ Programming Guide, "Function Parameters"

struct Setup {
    std::weak_ptr<Function> function;
    Dim block{1, 1, 1};
    unsigned shared = 0;
    std::vector<char> arguments{};
};

std::mutex setups_mutex;

std::map<const void *, Setup> &setups() {
    static auto *all = new std::map<const void *, Setup>;
    return *all;
}

// Calls body(setup) for a function, with the lock held.
template <class Body> Status with_setup(FunctionTag *handle, Body body) {
    const auto function = functions().find(handle);
    if (!function) return Status::invalid_resource_handle;
    std::lock_guard lock(setups_mutex);
    auto &all = setups();
    const auto entry = all.find(handle);
    if (entry == all.end()) {
        std::erase_if(all, [](const auto &one) { return one.second.function.expired(); });
        return body(all.emplace(handle, Setup{function}).first->second);
    }
    return body(entry->second);
}

} // namespace

Status FuncSetBlockShape(FunctionTag *function, int x, int y, int z) {
    const Facts &most = facts();
    if (x <= 0 || y <= 0 || z <= 0 || x > most.threads || y > most.threads || z > most.block_z)
        return Status::invalid_value;
    if (static_cast<long long>(x) * y * z > most.threads) return Status::invalid_value;
    return with_setup(function, [&](Setup &one) {
        one.block = {static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z)};
        return Status::success;
    });
}

Status FuncSetSharedSize(FunctionTag *function, unsigned bytes) {
    return with_setup(function, [&](Setup &one) { return one.shared = bytes, Status::success; });
}

Status ParamSetSize(FunctionTag *function, unsigned bytes) {
    if (bytes > most_arguments) return Status::invalid_value;
    return with_setup(function, [&](Setup &one) { return one.arguments.resize(bytes), Status::success; });
}

Status ParamSetv(FunctionTag *function, int offset, void *value, unsigned bytes) {
    if (!value || offset < 0) return Status::invalid_value;
    const auto begin = static_cast<unsigned>(offset);
    if (begin > most_arguments || bytes > most_arguments - begin) return Status::invalid_value;
    return with_setup(function, [&](Setup &one) {
        if (one.arguments.size() < begin + bytes) one.arguments.resize(begin + bytes);
        std::memcpy(one.arguments.data() + begin, value, bytes);
        return Status::success;
    });
}

Status ParamSeti(FunctionTag *function, int offset, unsigned value) {
    return ParamSetv(function, offset, &value, sizeof value);
}

Status ParamSetf(FunctionTag *function, int offset, float value) {
    return ParamSetv(function, offset, &value, sizeof value);
}

// What is bound to a reference counts for all functions of its module, so there is nothing to do.
Status ParamSetTexRef(FunctionTag *function, int unit, c::CUtexref reference) {
    constexpr int by_default = -1;
    if (unit != by_default) return Status::invalid_value;
    if (!texture_references().find(reference)) return Status::invalid_resource_handle;
    return functions().find(function) ? Status::success : Status::invalid_resource_handle;
}

Status LaunchGridAsync(FunctionTag *function, int width, int height, StreamTag *stream) {
    if (width <= 0 || height <= 0) return Status::invalid_value;
    Setup setup;
    const Status status =
        with_setup(function, [&](const Setup &one) { return setup = one, Status::success; });
    if (status != Status::success) return status;
    // An argument that was never set is zero.
    const auto known = functions().find(function);
    const std::size_t all = known && known->kernel.parameters ? end_of(*known->kernel.parameters) : 0;
    if (setup.arguments.size() < all) setup.arguments.resize(all);
    std::size_t size = setup.arguments.size();
    void *extra[] = {reinterpret_cast<void *>(1), setup.arguments.data(), reinterpret_cast<void *>(2), &size,
                     nullptr};
    char none = 0;
    if (!size) extra[1] = &none;
    return LaunchKernel(function, static_cast<unsigned>(width), static_cast<unsigned>(height), 1,
                        setup.block.x, setup.block.y, setup.block.z, setup.shared, stream, nullptr, extra);
}

// One kernel on each of several devices. No group of threads spans devices here, as on cards since CUDA 13.
Status LaunchCooperativeKernelMultiDevice(c::CUDA_LAUNCH_PARAMS *list, unsigned count, unsigned flags) {
    return of_driver(launch_functions_on_devices(list, count, flags, [](auto stream) { return as(stream); }));
}

} // namespace pygpu::host::cu
