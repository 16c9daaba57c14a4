// The order of a buffer's uses on streams.
#include "arrays/memory/buffer.hpp"
#include "arrays/memory/device_idle.hpp"
#include "arrays/streams/captures.hpp"
#include "arrays/streams/event_pool.hpp"
#include "arrays/streams/stream.hpp"
#include "python/exit.hpp"
#include "python/gil.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace pygpu::arrays {
namespace {

// Whether it certainly is the stream of a use: a default one, or that of an object which the use has kept.
bool is_same(const UseOrder::Use &use, const StreamArgument &stream) {
    return use.owner ? use.owner.get() == stream.owner : is_default_stream(stream.stream);
}

} // namespace

void Buffer::wait_for_upload() {
    const Fence awaited = last_upload_;
    if (!has_arrived(device, awaited)) {
        if (ended() || inside_callback()) return;
        GilReleased released(true);
        // If this fails, the device has failed, and the next use of the address returns that error.
        if (wait_for_arrival(runtime, device, awaited)) return;
    }
    if (last_upload_ == awaited) last_upload_ = 0; // else another thread has noted a later one meanwhile
}

int Buffer::wait_for_destroyed(Scope &scope) {
    if (!order_.used_destroyed()) return success;
    std::vector<Reference> gone; // retained, so that no new object gets one of their addresses
    std::vector<int> devices;
    if (is_gone(order_.home_owner.get())) {
        gone.push_back(Reference::borrow(order_.home_owner.get()));
        devices.push_back(device);
    }
    for (const UseOrder::Use &use : order_.uses) {
        if (!is_gone(use.owner.get())) continue;
        gone.push_back(Reference::borrow(use.owner.get()));
        devices.push_back(use.device);
    }
    int status = success;
    {
        GilReleased released(true);
        const int before = scope.device();
        for (int one : devices) {
            if (!status) status = scope.change(one);
            if (!status) status = wait_for_device(runtime, scope);
        }
        const int changed = scope.change(before);
        if (!status) status = changed;
    }
    if (status) return status;
    for (const Reference &owner : gone) {
        if (order_.home_owner.get() == owner.get()) {
            order_.home = nullptr;
            order_.home_owner = {};
        }
        std::erase_if(order_.uses, [&](const UseOrder::Use &use) { return use.owner.get() == owner.get(); });
    }
    return success;
}

int Buffer::begin_use(Scope &scope, const StreamArgument &stream, bool after_all) {
    if (below_) return below_->begin_use(scope, stream, after_all);
    if (const int status = wait_for_destroyed(scope)) return status;
    const int on = scope.device();
    if (last_upload_ && (stream.stream || on != device)) {
        if (const int status = order_after_arrival(runtime, scope, stream.stream, device, last_upload_))
            return status;
        if (has_arrived(device, last_upload_)) last_upload_ = 0;
    }
    // Other threads may begin work, and drop uses, while the GIL is released. This use waits for the work
    // that was begun by now.
    const std::uint64_t work = order_.home_work;
    const bool at_home = is_home(stream.stream, on);
    const UseOrder::Use *known = at_home ? nullptr : use_on(stream.stream, on);
    std::vector<UseOrder::Use> earlier;
    for (const UseOrder::Use &use : order_.uses) {
        if (after_all && &use != known && use.begun != use.waited)
            earlier.push_back({use.stream, use.device, Reference::borrow(use.owner.get()), use.begun});
    }
    const bool is_behind = (known ? known->behind : 0) == work; // all work that was begun there
    // Code that PyGPU can't see may have queued more there: that of an owner, or that which knows the
    // address. Or the stream is a later one at the address of a known one, which no object has kept.
    const bool is_owned = kind == Kind::foreign || kind == Kind::lent || kind == Kind::resource;
    const bool is_sure = !known_ && !is_owned && (!known || is_same(*known, stream));
    if (!at_home && (!is_behind || (after_all && !is_sure))) {
        const Reference home = Reference::borrow(order_.home_owner.get());
        if (const int status = order(runtime, scope, stream.stream, order_.home, device)) return status;
    }
    for (const UseOrder::Use &use : earlier) {
        if (const int status = order(runtime, scope, stream.stream, use.stream, use.device)) return status;
    }
    for (const UseOrder::Use &use : earlier) {
        if (UseOrder::Use *still = use_on(use.stream, use.device))
            still->waited = std::max(still->waited, use.begun);
    }
    const std::vector<UseOrder::Use> dropped = drop_waited_uses();
    if (!at_home) {
        UseOrder::Use *use = use_on(stream.stream, on);
        if (!use)
            use =
                &order_.uses.emplace_back(UseOrder::Use{stream.stream, on, Reference::borrow(stream.owner)});
        use->behind = work;
        if (stream.owner) track();
    }
    go_on_with_use(stream.stream, on);
    return success;
}

bool Buffer::is_in_order(Stream stream, int on, bool after_all) {
    if (freed_ || ended()) return false;
    if (below_) return below_->is_in_order(stream, on, after_all);
    if ((last_upload_ && (stream || on != device)) || order_.used_destroyed()) return false;
    const bool at_home = is_home(stream, on);
    const UseOrder::Use *known = at_home ? nullptr : use_on(stream, on);
    if (!at_home && (!known || known->behind != order_.home_work)) return false;
    return !after_all || std::ranges::all_of(order_.uses, [&](const UseOrder::Use &use) {
        return &use == known || use.begun == use.waited;
    });
}

bool Buffer::is_settled(Stream stream) const {
    if (freed_ || ended()) return false;
    if (below_) return below_->is_settled(stream);
    return stream == order_.home && order_.uses.empty() && !order_.used_destroyed();
}

bool Buffer::leave_streams() {
    if (below_ || !frees() || freed_ || ended()) return true;
    if (inside_callback() || waits_may_never_end()) return false;
    const Using using_it(*this);
    Scope scope(runtime, device);
    if (scope.status() || begin_use(scope, {}, true)) return false;
    order_.home = nullptr;
    const Reference home = std::move(order_.home_owner);
    const std::vector<UseOrder::Use> uses = std::move(order_.uses);
    order_.uses.clear();
    return true;
}

std::vector<UseOrder::Use> Buffer::drop_waited_uses() {
    std::vector<UseOrder::Use> dropped;
    if (users_ > 1) return dropped;
    // Not std::ranges::partition, whose result clang 14 can't iterate over.
    const auto waited = std::partition(order_.uses.begin(), order_.uses.end(),
                                       [](const UseOrder::Use &use) { return use.begun != use.waited; });
    std::move(waited, order_.uses.end(), std::back_inserter(dropped));
    order_.uses.erase(waited, order_.uses.end());
    return dropped;
}

int Buffer::begin_export(Scope &scope) {
    const Using using_it(*this);
    if (below_) return below_->begin_export(scope);
    if (const int status = wait_for_destroyed(scope)) return status;
    const Reference owner = Reference::borrow(order_.home_owner.get());
    return begin_use(scope, {order_.home, owner.get(), device, false}, true);
}

void Buffer::go_on_with_use(Stream stream, int on) {
    if (below_) return below_->go_on_with_use(stream, on);
    if (is_home(stream, on))
        ++order_.home_work;
    else if (UseOrder::Use *use = use_on(stream, on))
        ++use->begun;
}

UseOrder::Use *Buffer::use_on(Stream stream, int on) {
    const auto entry = std::ranges::find_if(
        order_.uses, [&](const UseOrder::Use &use) { return use.stream == stream && use.device == on; });
    return entry == order_.uses.end() ? nullptr : &*entry;
}

int Buffer::query(bool wait) {
    const Using using_it(*this);
    if (below_ && !freed_) return below_->query(wait);
    Scope scope(runtime, device);
    int status = freed_ ? freed_ : scope.status();
    if (!status) status = wait_for_destroyed(scope);
    std::vector<std::pair<Stream, int>> streams{{order_.home, device}}; // uses may change without the GIL
    for (const UseOrder::Use &use : order_.uses) streams.emplace_back(use.stream, use.device);
    GilReleased released(wait);
    for (const auto &[stream, on] : streams) {
        if (!status) status = scope.change(on);
        if (!status) status = refuse_capture(runtime, scope, stream);
        if (!status) {
            status = wait ? scope(runtime.stream_synchronize(stream)) : query_stream(runtime, scope, stream);
        }
    }
    return status;
}

} // namespace pygpu::arrays
