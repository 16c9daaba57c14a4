// Enabling access between devices, once for each two.
#include "arrays/transfer/peers.hpp"

#include "arrays/memory/pools.hpp"
#include "arrays/streams/captures.hpp"
#include "python/lock.hpp"
#include "runtime/generation.hpp"

#include <map>
#include <mutex>
#include <tuple>

namespace pygpu::arrays {
namespace {

// Access of one device to another one's memory: to its pool, or to what was allocated plainly. A reset of
// either ends it.
struct Link {
    int from, to;
    bool pool;

    bool operator<(const Link &other) const {
        return std::tie(from, to, pool) < std::tie(other.from, other.to, other.pool);
    }
};

struct LinkGeneration {
    DeviceGeneration from, to;
    bool operator==(const LinkGeneration &) const = default;
};

struct Links {
    std::mutex mutex;
    std::map<Link, LinkGeneration> tried;
};

Links &links() {
    static auto *all = new Links; // outlives every static destructor
    return *all;
}

bool was_tried(const Link &link, const LinkGeneration &now) {
    Links &all = links();
    const Lock lock(all.mutex);
    const auto found = all.tried.find(link);
    return found != all.tried.end() && found->second == now;
}

void note_tried(const Link &link, const LinkGeneration &now) {
    Links &all = links();
    const Lock lock(all.mutex);
    all.tried.insert_or_assign(link, now);
}

// Whether a stream of a device is being captured that a call could spoil; true where that is unknown.
bool captures(const Runtime &runtime, Scope &scope, int device) {
    return scope.change(device) || refuse_capture(runtime, scope, nullptr);
}

// What is already enabled is an error of the runtime's, which the scope keeps from being seen.
void enable(const Runtime &runtime, Scope &scope, const Link &link) {
    if (scope.change(link.pool ? link.to : link.from)) return;
    if (!link.pool) {
        scope.expect([&] { return runtime.enable_peer(link.to); });
    } else if (const Pool pool = pool_of(runtime, scope)) {
        scope(runtime.pool_allow(pool, link.from));
    }
}

bool can_reach(const Runtime &runtime, Scope &scope, int from, int to) {
    int reachable = 0;
    return !scope(runtime.can_access_peer(&reachable, from, to)) && reachable;
}

void open(const Runtime &runtime, Scope &scope, const Link &link) {
    const LinkGeneration now{generation_of(link.from), generation_of(link.to)};
    if (was_tried(link, now)) return;
    if (captures(runtime, scope, link.from) || captures(runtime, scope, link.to))
        return; // the next copy tries
    if (can_reach(runtime, scope, link.from, link.to)) enable(runtime, scope, link);
    note_tried(link, now);
}

} // namespace

int open_link(const Runtime &runtime, Scope &scope, const Side &one, const Side &other) {
    if (scope.status() || in_child()) return scope.status();
    const int before = scope.device();
    open(runtime, scope, {one.device, other.device, other.pool});
    open(runtime, scope, {other.device, one.device, one.pool});
    return scope.change(before);
}

bool rows_go_between(const Runtime &runtime, Scope &scope, int from, int to) {
    return !runtime.rows_need_peers || can_reach(runtime, scope, to, from);
}

} // namespace pygpu::arrays
