// Loading the kernels that move elements, each when it is first needed, and launching them.
#include "arrays/transfer/moves.hpp"

#include "arrays/transfer/copy_path.hpp"
#include "arrays/transfer/host.hpp"
#include "arrays/transfer/move_plan.hpp"
#include "base/lock.hpp"
#include "python/exception_aside.hpp"
#include "python/gil.hpp"
#include "python/package.hpp"
#include "runtime/generation.hpp"

#include <algorithm>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace pygpu::arrays {
namespace {

constexpr int most_launches = 256; // of one move

using Load = int(void **module, const void *image);
using GetFunction = int(void **function, void *module, const char *name);
using Launch = int(void *kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **arguments,
                   void **extra);

// The vendor's functions for kernels; null where it has none.
struct Driver {
    Load *load;
    GetFunction *get_function;
    Launch *launch;
};

Driver find_driver(const Runtime &runtime) {
    const KernelCalls &names = runtime.kernel_calls;
    // The runtime has opened the driver's library already. The host runtime's has all functions.
    const bool other = names.library && !runtime.api.host;
    void *library = other ? dlopen(names.library, RTLD_LAZY | RTLD_NOLOAD) : runtime.api.library;
    if (!library || !names.launch) return {};
    const Driver driver{reinterpret_cast<Load *>(dlsym(library, names.load)),
                        reinterpret_cast<GetFunction *>(dlsym(library, names.get_function)),
                        reinterpret_cast<Launch *>(dlsym(library, names.launch))};
    return driver.load && driver.get_function && driver.launch ? driver : Driver{};
}

const Driver &driver_of(const Runtime &runtime) {
    static const Driver driver = find_driver(runtime); // a process has one runtime for its arrays
    return driver;
}

// The kernels by device and number; null for one that can't be loaded. They stay loaded until the process or
// the device's context ends.
struct Kernels {
    struct Loaded {
        DeviceGeneration generation;
        void *function;
    };
    std::mutex mutex;
    std::map<std::pair<int, int>, Loaded> loaded;
};

Kernels &kernels() {
    static auto *all = new Kernels; // outlives every static destructor
    return *all;
}

// The kernel's code from the Python package. Called without the GIL.
std::string image_of(const std::string &name) {
    if (!Py_IsInitialized() || interpreter_is_finalising()) return {};
    const PyGILState_STATE state = PyGILState_Ensure();
    std::string image;
    {
        const ExceptionAside aside;
        const Reference bytes(call_in_package(package::move_image, "(s)", name.c_str()));
        if (bytes && PyBytes_Check(bytes.get()))
            image.assign(PyBytes_AS_STRING(bytes.get()),
                         static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.get())));
        PyErr_Clear(); // without the code, the runtime's own copies serve
    }
    PyGILState_Release(state);
    return image;
}

void *load(Job &job, const std::string &name) {
    const Driver &driver = driver_of(job.runtime);
    const std::string image = image_of(name);
    if (image.empty()) return nullptr;
    void *module = nullptr, *function = nullptr;
    int status = driver.load(&module, image.data());
    // A thread that has not called the runtime yet has no context.
    if (status == job.runtime.codes.no_context && !job.runtime.free(nullptr))
        status = driver.load(&module, image.data());
    if (!status) status = driver.get_function(&function, module, ("pygpu_" + name).c_str());
    return status ? nullptr : function;
}

void *function_of(Job &job, const Move &move) {
    if (in_child() || !driver_of(job.runtime).launch) return nullptr;
    const int device = job.scope.device();
    const DeviceGeneration now = generation_of(device);
    const std::pair key(device, static_cast<int>(move.kind) * 32 + static_cast<int>(move.word));
    {
        const Lock lock(kernels().mutex);
        const auto known = kernels().loaded.find(key);
        if (known != kernels().loaded.end() && known->second.generation == now) return known->second.function;
    }
    // Two threads may load it twice: no lock is held while the driver compiles.
    void *const function = load(job, move.name());
    const Lock lock(kernels().mutex);
    kernels().loaded.insert_or_assign(key, Kernels::Loaded{now, function});
    return function;
}

bool launch(Job &job, Move &move) {
    void *const function = function_of(job, move);
    if (!function) return false;
    using Kind = Move::Kind;
    void *copy[] = {&move.to, &move.from, &move.words, &move.axes};
    void *fill[] = {&move.to, &move.pattern, &move.words, &move.axes};
    void *transpose[] = {&move.to, &move.from, &move.tiles, &move.axes};
    void *join[] = {&move.parts};
    void **const arguments = move.kind == Kind::fill                                      ? fill
                             : move.kind == Kind::join                                    ? join
                             : move.kind == Kind::transpose || move.kind == Kind::squares ? transpose
                                                                                          : copy;
    const auto call = [&] {
        return driver_of(job.runtime)
            .launch(function, move.blocks, 1, 1, move.threads, 1, 1, 0, job.stream, arguments, nullptr);
    };
    int status = call();
    if (status == job.runtime.codes.no_context && !job.runtime.free(nullptr)) status = call();
    return !status;
}

// On the host runtime device memory is the CPU's, and a host function on the stream moves the elements.
std::optional<int> copy_by_host(Job &job, char *to, const char *from, const Axes &axes) {
    const auto kept = std::make_shared<HostCopy>(to, from, axes);
    job.staging.keep(kept);
    return job.scope(job.runtime.launch_host_function(
        job.stream, [](void *copy) { static_cast<HostCopy *>(copy)->run(); }, kept.get()));
}

// Whether the memory is the device's, as far as the runtime knows it. A kernel that reaches other memory
// would end the context, where a copy by the runtime only fails.
bool is_of_device(Job &job, const char *first, const Axes &axes, ssize_t Axis::*side) {
    const char *low = first, *high = first;
    for (int at = 0; at < axes.count; ++at) {
        const ssize_t last = (axes.axis[at].extent - 1) * axes.axis[at].*side;
        (last < 0 ? low : high) += last;
    }
    for (const char *end : {low, high}) {
        int device = -1;
        if (job.scope.expect([&] { return job.runtime.ask_owner(end, &device); }) ||
            device != job.scope.device())
            return false;
    }
    return true;
}

// Plans a move by `plan(move, to, from, axes)`, and launches it. If it is too large for one launch, both
// halves of the outermost axis are moved.
template <class Plan>
bool launch_all(Job &job, char *to, const char *from, const Axes &axes, int most, const Plan &plan) {
    Move move;
    if (plan(move, to, from, axes)) return launch(job, move);
    if (most < 2 || axes.count < 2) return false;
    const Axis outer = axes.axis[0];
    const ssize_t half = outer.extent / 2;
    for (const auto &[first, extent] : {std::pair(ssize_t{0}, half), std::pair(half, outer.extent - half)}) {
        Axes part = axes;
        part.axis[0].extent = extent;
        if (extent == 1) part.remove(0);
        if (!launch_all(job, to + first * outer.to, from + first * outer.from, part, most / 2, plan))
            return false;
    }
    return true;
}

} // namespace

std::optional<int> copy_by_kernel(Job &job, char *to, const char *from, const Axes &axes) {
    if (!job.kernels) return std::nullopt;
    if (!has_kernels(job.runtime.api.host)) return copy_by_host(job, to, from, axes);
    if (job.unsure && !(is_of_device(job, to, axes, &Axis::to) && is_of_device(job, from, axes, &Axis::from)))
        return std::nullopt;
    if (launch_all(job, to, from, axes, most_launches, plan_copy)) return success;
    return std::nullopt;
}

std::optional<int> join_by_kernel(Job &job, std::span<const Part> parts) {
    if (!job.kernels || !has_kernels(job.runtime.api.host)) return std::nullopt;
    for (const Part &part : parts)
        if (job.unsure && !(is_of_device(job, part.to, part.axes, &Axis::to) &&
                            is_of_device(job, part.from, part.axes, &Axis::from)))
            return std::nullopt;
    Move move;
    if (plan_join(move, parts) && launch(job, move)) return success;
    return std::nullopt;
}

std::optional<int> fill_by_kernel(Job &job, char *to, const Axes &axes, const char *pattern,
                                  ssize_t itemsize) {
    if (!job.kernels || (job.unsure && !is_of_device(job, to, axes, &Axis::to))) return std::nullopt;
    const auto plan = [&](Move &move, char *first, const char *, const Axes &part) {
        return plan_fill(move, first, part, pattern, itemsize);
    };
    if (launch_all(job, to, to, axes, most_launches, plan)) return success;
    return std::nullopt;
}

} // namespace pygpu::arrays
