// The contexts, and which is current.
#include "base/context.hpp"

#include "base/activity.hpp"
#include "base/settings.hpp"
#include "base/thread.hpp"

#include <utility>
#include <vector>

namespace pygpu::host {
namespace {

std::atomic<unsigned long long> last_context{0};

} // namespace

Context::Context(int device, unsigned flags, bool primary, unsigned share)
    : device(device), primary(primary), share(share), id(++last_context), flags(flags) {}

Handles<Context> &contexts() {
    static auto *handles = new Handles<Context>;
    return *handles;
}

PrimaryContext &primary_of(int device) {
    static auto *all = new std::vector<PrimaryContext>(static_cast<std::size_t>(settings().devices));
    return (*all)[static_cast<std::size_t>(device)];
}

std::shared_ptr<Context> primary_context(int device) {
    PrimaryContext &primary = primary_of(device);
    std::lock_guard lock(primary.mutex);
    if (!primary.context) {
        auto context = std::make_shared<Context>(device, 0, true);
        context->handle = contexts().add(context);
        context->alive = false;
        primary.context = std::move(context);
    }
    return primary.context;
}

std::shared_ptr<Context> current_context() {
    const auto &stack = thread().contexts;
    return stack.empty() ? nullptr : stack.back();
}

unsigned long long context_for(int number) {
    const auto &stack = thread().contexts;
    const bool current = !stack.empty() && stack.back()->device == number && !stack.back()->green();
    return current ? stack.back()->id : primary_context(number)->id;
}

std::shared_ptr<Context> current_green_context(int device) {
    const auto &stack = thread().contexts;
    return !stack.empty() && stack.back()->green() && stack.back()->device == device ? stack.back() : nullptr;
}

void push_context(std::shared_ptr<Context> context) {
    show_use(context->device);
    ThreadState &state = thread();
    state.contexts.push_back(std::move(context));
    state.device = state.contexts.back()->device;
}

void set_current_context(std::shared_ptr<Context> context) {
    auto &stack = thread().contexts;
    if (!stack.empty()) stack.pop_back();
    if (context) push_context(std::move(context));
    if (!stack.empty()) thread().device = stack.back()->device;
}

Status use_primary_context() {
    ThreadState &state = thread();
    if (state.contexts.empty()) push_context(primary_context(state.device));
    Context &current = *state.contexts.back();
    if (!current.primary) return current.alive ? Status::success : Status::context_is_destroyed;
    std::atomic<bool> &uses = primary_of(current.device).runtime_uses;
    if (!uses.load(std::memory_order_relaxed)) current.alive = uses = true;
    return Status::success;
}

Status check_current_context() {
    const auto &stack = thread().contexts;
    if (stack.empty()) return Status::invalid_context;
    return stack.back()->alive ? Status::success : Status::context_is_destroyed;
}

} // namespace pygpu::host
