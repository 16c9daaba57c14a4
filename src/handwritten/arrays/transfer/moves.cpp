// Loading the kernels that move elements, each when it is first needed, and launching them.
#include "arrays/transfer/moves.hpp"

#include "arrays/base/driver.hpp"
#include "arrays/transfer/copy_path.hpp"
#include "arrays/transfer/host.hpp"
#include "arrays/transfer/host_cast.hpp"
#include "arrays/transfer/move_plan.hpp"
#include "arrays/transfer/rectangles.hpp"
#include "base/lock.hpp"
#include "python/callback.hpp"
#include "python/exception_aside.hpp"
#include "python/package.hpp"
#include "runtime/generation.hpp"
#include "trace/on.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace pygpu::arrays {
namespace {

constexpr int most_launches = 256; // of one move

using Load = int(void **module, const void *image);
using GetFunction = int(void **function, void *module, const char *name);
using GetContext = int(void **context);
using RetainPrimary = int(void **context, int device);
using ReleasePrimary = int(int device);

// The vendor's functions for kernels; null where it has none.
struct Driver {
    Load *load;
    GetFunction *get_function;
    LaunchKernel *launch;
    GetContext *current_context;
    RetainPrimary *retain_primary;
    ReleasePrimary *release_primary;

    bool has_kernels() const { return load && get_function && launch; }
    bool has_contexts() const { return current_context && retain_primary && release_primary; }
};

Driver find_driver(const Runtime &runtime) {
    const DriverCalls &names = runtime.driver_calls;
    const auto find = [&](auto *&function, const char *name) {
        function = driver_function<std::remove_reference_t<decltype(*function)>>(runtime, name);
    };
    Driver driver{};
    find(driver.load, names.load);
    find(driver.get_function, names.get_function);
    find(driver.launch, names.launch);
    find(driver.current_context, names.current_context);
    find(driver.retain_primary, names.retain_primary);
    find(driver.release_primary, names.release_primary);
    return driver;
}

const Driver &driver_of(const Runtime &runtime) {
    static const Driver driver = find_driver(runtime); // a process has one runtime for its arrays
    return driver;
}

// The kernels by device, kind and word; null for one that can't be loaded. They stay loaded until the process
// or the device's primary context ends.
struct Kernels {
    using Key = std::tuple<int, Move::Kind, unsigned>;
    template <class Value> struct OfGeneration {
        DeviceGeneration generation;
        Value value;
    };
    std::mutex mutex;
    std::map<Key, OfGeneration<void *>> functions;
    std::map<int, OfGeneration<void *>> contexts; // the primary ones
};

Kernels &kernels() {
    static auto *all = new Kernels; // outlives every static destructor
    return *all;
}

// A value that is known for the device as it is now. False if there is none.
template <class Map, class Key> bool look_up(const Map &map, const Key &key, int device, void *&value) {
    const Lock lock(kernels().mutex);
    const auto known = map.find(key);
    if (known == map.end() || known->second.generation != generation_of(device)) return false;
    value = known->second.value;
    return true;
}

template <class Map, class Key>
void note(Map &map, const Key &key, DeviceGeneration generation, void *value) {
    const Lock lock(kernels().mutex);
    map.insert_or_assign(key, typename Map::mapped_type{generation, value});
}

// Whether the device's primary context is current, which the runtime makes. Kernels are loaded there alone:
// other contexts have other memory, and may end at any time.
bool in_primary_context(Job &job) {
    const Driver &driver = driver_of(job.runtime);
    if (!driver.has_contexts()) return true;
    const int device = job.scope.device();
    void *now = nullptr, *primary = nullptr;
    if (driver.current_context(&now)) return false;
    // A thread that has not called the runtime yet has no context.
    if (!now && (job.scope(job.runtime.free(nullptr)) || driver.current_context(&now))) return false;
    if (!look_up(kernels().contexts, device, device, primary)) {
        const DeviceGeneration generation = generation_of(device);
        if (driver.retain_primary(&primary, device)) return false;
        driver.release_primary(device);
        note(kernels().contexts, device, generation, primary);
    }
    return now == primary;
}

// The code of a kernel: empty if there is none, or no value after an error, which may not come again.
using Image = std::optional<std::string>;

Image image_of(const std::string &name) {
    struct Question {
        const std::string &name;
        Image image;
    } question{name, {}};
    enter_python(
        [](void *argument) {
            auto &[name, image] = *static_cast<Question *>(argument);
            const ExceptionAside aside;
            const Reference bytes(call_in_package(package::move_image, "(s)", name.c_str()));
            if (bytes && PyBytes_Check(bytes.get()))
                image.emplace(PyBytes_AS_STRING(bytes.get()),
                              static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.get())));
            else if (bytes)
                image.emplace();
            // Without the code the runtime's own copies serve. But Ctrl-C is for the caller's code.
            if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) PyErr_SetInterrupt();
            PyErr_Clear();
        },
        &question);
    return question.image;
}

// Loads a kernel. False after an error that may not come again.
bool load(Job &job, const std::string &name, void *&function) {
    const Image image = image_of(name);
    if (!image || image->empty()) return image.has_value();
    const Driver &driver = driver_of(job.runtime);
    void *module = nullptr;
    int status = job.scope(driver.load(&module, image->data()));
    if (!status) status = job.scope(driver.get_function(&function, module, ("pygpu_" + name).c_str()));
    if (status) function = nullptr;
    return status != job.runtime.codes.out_of_memory;
}

void *function_of(Job &job, const Move &move) {
    if (trace::is_keeping()) return nullptr; // a replay has the runtime's copies alone
    if (in_child() || !driver_of(job.runtime).has_kernels() || !in_primary_context(job)) return nullptr;
    const int device = job.scope.device();
    const Kernels::Key key(device, move.kind, move.word);
    void *function = nullptr;
    if (look_up(kernels().functions, key, device, function)) return function;
    // Two threads may load it twice: no lock is held while the driver compiles.
    const DeviceGeneration generation = generation_of(device);
    if (load(job, move.name(), function)) note(kernels().functions, key, generation, function);
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
    void *cast[] = {&move.to, &move.from, &move.lanes, &move.cast.rule, &move.axes};
    void **const arguments = move.kind == Kind::fill                                      ? fill
                             : move.kind == Kind::join                                    ? join
                             : move.kind == Kind::cast                                    ? cast
                             : move.kind == Kind::transpose || move.kind == Kind::squares ? transpose
                                                                                          : copy;
    // The driver's function takes 0 for the legacy default stream.
    const Api &api = job.runtime.api;
    const bool own = !job.stream && api.per_thread;
    const Stream stream = own ? reinterpret_cast<Stream>(api.own.thread_stream) : job.stream;
    return !job.scope(
        driver_of(job.runtime)
            .launch(function, move.blocks, 1, 1, move.threads, 1, 1, 0, stream, arguments, nullptr));
}

// On the host runtime device memory is the CPU's, and a host function on the stream moves the elements.
template <class Work> int run_on_host(Job &job, const Work &work) {
    const auto kept = std::make_shared<Work>(work);
    job.staging.keep(kept);
    return job.scope(job.runtime.launch_host_function(
        job.stream, [](void *argument) { static_cast<Work *>(argument)->run(); }, kept.get()));
}

// Whether the memory is the device's, as far as the runtime knows it. A kernel that reaches other memory
// would end the context, where a copy by the runtime only fails.
bool is_of_device(Job &job, const char *first, const Axes &axes, ssize_t Axis::*side) {
    const auto [low, high] = ends_of(first, axes, side);
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
    if (most < 2 || !axes.count || axes.axis[0].extent < 2) return false;
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
    if (!job.kernels || trace::is_keeping()) return std::nullopt;
    if (!has_kernels(job.runtime.api.host)) return run_on_host(job, HostCopy{to, from, axes});
    if (job.unsure && !(is_of_device(job, to, axes, &Axis::to) && is_of_device(job, from, axes, &Axis::from)))
        return std::nullopt;
    if (launch_all(job, to, from, axes, most_launches, plan_copy)) return success;
    return std::nullopt;
}

bool has_kernel_for(Job &job, const char *device, bool to, const Axes &axes) {
    Move move;
    return job.kernels && has_kernels(job.runtime.api.host) &&
           (!job.unsure || is_of_device(job, device, axes, to ? &Axis::to : &Axis::from)) &&
           plan_copy(move, to ? const_cast<char *>(device) : nullptr, to ? nullptr : device, axes) &&
           function_of(job, move);
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

std::optional<int> cast_by_kernel(Job &job, char *to, const char *from, const Axes &axes, const Cast &cast) {
    const MoveBy forced = copy_settings().moves;
    if (!job.kernels || forced == MoveBy::rectangles || trace::is_keeping()) return std::nullopt;
    if (!has_kernels(job.runtime.api.host)) return run_on_host(job, HostCast{to, from, axes, cast});
    if (job.unsure && !(is_of_device(job, to, axes, &Axis::to) && is_of_device(job, from, axes, &Axis::from)))
        return std::nullopt;
    const auto plan = [&](Move &move, char *there, const char *here, const Axes &part) {
        return plan_cast(move, there, here, part, cast);
    };
    if (launch_all(job, to, from, axes, most_launches, plan)) return success;
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
