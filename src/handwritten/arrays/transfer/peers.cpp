// Copies between two devices: which copies go over their link, and enabling direct access, once for each
// pair.
#include "arrays/memory/buffer.hpp"
#include "arrays/memory/pools.hpp"
#include "arrays/streams/captures.hpp"
#include "arrays/transfer/copy_path.hpp"
#include "arrays/transfer/moves.hpp"
#include "arrays/transfer/rectangles.hpp"
#include "base/lock.hpp"
#include "runtime/generation.hpp"

#include <compare>
#include <map>
#include <mutex>
#include <optional>

namespace pygpu::arrays {
namespace {

// Access of one device to the memory of another device: to its pool, or to memory of no pool. A reset of
// either device ends it.
struct Link {
    int from, to;
    bool pool;
    unsigned resets = generation_of(from).resets + generation_of(to).resets;
    auto operator<=>(const Link &) const = default;
};

struct Links {
    std::mutex mutex;
    std::map<Link, bool> tried; // whether there is access
};

Links &links() {
    static auto *all = new Links; // outlives every static destructor
    return *all;
}

// Whether a capture on a device could be broken by a call; true if that is unknown.
bool captures(Scope &scope, int device) {
    return scope.change(device) || refuse_capture(scope.runtime(), scope, nullptr);
}

// If access is already enabled, the runtime returns an error. The scope keeps it from becoming the last
// error. Whether access to a pool is enabled for sure; other memory is not asked for.
bool enable(Scope &scope, const Link &link) {
    const Runtime &runtime = scope.runtime();
    if (scope.change(link.pool ? link.to : link.from)) return false;
    if (link.pool) {
        const Pool pool = pool_of(runtime, scope);
        return pool && !scope(runtime.pool_allow(pool, link.from));
    }
    scope.expect([&] { return runtime.enable_peer(link.to); });
    return false;
}

bool can_reach(Scope &scope, int from, int to) {
    int reachable = 0;
    return !scope(scope.runtime().can_access_peer(&reachable, from, to)) && reachable;
}

void open(Scope &scope, const Link &link) {
    {
        const Lock lock(links().mutex);
        if (links().tried.contains(link)) return;
    }
    if (captures(scope, link.from) || captures(scope, link.to)) return; // the next copy tries again
    const bool enabled = can_reach(scope, link.from, link.to) && enable(scope, link);
    const Lock lock(links().mutex);
    links().tried.emplace(link, enabled);
}

bool is_enabled(const Link &link) {
    const Lock lock(links().mutex);
    const auto tried = links().tried.find(link);
    return tried != links().tried.end() && tried->second;
}

} // namespace

bool goes_between_devices(const Runtime &runtime, int to, int from, Axes axes) {
    normalise(axes);
    for (int at = axes.count - 1; at >= 0; --at) {
        if (!axes.axis[at].from) axes.remove(at); // a repeated element goes over the link once
    }
    const Rectangles calls(axes);
    const ssize_t size = axes.size();
    if (!go_over(size, calls.width(), calls.count(), rows::narrow_on_link)) return false;
    if (calls.width() == size || !runtime.rows_need_peers) return true;
    Scope scope(runtime);
    return can_reach(scope, to, from);
}

std::optional<int> copy_to_peer(Job &job, const Buffer &memory, char *to, const char *from, Axes axes) {
    const Shift start = normalise(axes);
    const Rectangles calls(axes);
    const bool in_own_pool = memory.kind == MemoryKind::pool && !memory.owner();
    if (job.capturing || calls.width() < rows::least_to_peer || !in_own_pool ||
        !is_enabled({job.scope.device(), memory.device, true}))
        return std::nullopt;
    job.kernels = true;
    return copy_by_kernel(job, to + start.to, from + start.from, axes);
}

int open_link(Scope &scope, const Buffer &one, const Buffer &other) {
    if (scope.status() || in_child()) return scope.status();
    const int before = scope.device();
    open(scope, {one.device, other.device, other.in_pool()});
    open(scope, {other.device, one.device, one.in_pool()});
    return scope.change(before);
}

} // namespace pygpu::arrays
