// Asking for access, once for each two devices.
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

// What one device may reach of another one's: its pool, or what was allocated plainly. A reset of either ends
// that.
struct Way {
    int from, to;
    bool pool;

    bool operator<(const Way &other) const {
        return std::tie(from, to, pool) < std::tie(other.from, other.to, other.pool);
    }
};

struct Asked {
    DeviceGeneration from, to;
    bool operator==(const Asked &) const = default;
};

struct Ways {
    std::mutex mutex;
    std::map<Way, Asked> asked;
};

Ways &ways() {
    static auto *all = new Ways; // outlives every static destructor
    return *all;
}

bool was_asked(const Way &way, const Asked &now) {
    Ways &all = ways();
    const Lock lock(all.mutex);
    const auto found = all.asked.find(way);
    return found != all.asked.end() && found->second == now;
}

void note_asked(const Way &way, const Asked &now) {
    Ways &all = ways();
    const Lock lock(all.mutex);
    all.asked.insert_or_assign(way, now);
}

// Whether a stream of a device is being captured that a call could spoil; where that can't be told, too.
bool captures(const Runtime &runtime, Scope &scope, int device) {
    return scope.change(device) || refuse_capture(runtime, scope, nullptr);
}

// What is already enabled is an error of the runtime's, which the scope keeps from being seen.
void enable(const Runtime &runtime, Scope &scope, const Way &way) {
    if (scope.change(way.pool ? way.to : way.from)) return;
    if (!way.pool) {
        scope.expect([&] { return runtime.enable_peer(way.to); });
    } else if (const Pool pool = pool_of(runtime, scope)) {
        scope(runtime.pool_allow(pool, way.from));
    }
}

bool can_reach(const Runtime &runtime, Scope &scope, int from, int to) {
    int reachable = 0;
    return !scope(runtime.can_access_peer(&reachable, from, to)) && reachable;
}

void open(const Runtime &runtime, Scope &scope, const Way &way) {
    const Asked now{generation_of(way.from), generation_of(way.to)};
    if (was_asked(way, now)) return;
    if (captures(runtime, scope, way.from) || captures(runtime, scope, way.to)) return; // the next copy asks
    if (can_reach(runtime, scope, way.from, way.to)) enable(runtime, scope, way);
    note_asked(way, now);
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
