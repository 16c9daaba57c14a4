// The steps of a hot function: the same as by tables, with everything inlined.
#pragma once

#include "call/answer.hpp"
#include "call/conversion.hpp"
#include "call/plan.hpp"
#include "call/traced.hpp"

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace pygpu {

// `call` and `checks` are those of the function (call/call.hpp); C are its converters. They lie as its tables
// say, so that `call` finds them.
template <Invoke *call, const Checks *checks, class Result, class Indices, class... C> class HotSteps;

template <Invoke *call, const Checks *checks, class Result, std::size_t... At, class... C>
class HotSteps<call, checks, Result, std::index_sequence<At...>, C...> {
public:
    HotSteps() {} // leaves the memory as it is
    HotSteps(const HotSteps &) = delete;
    HotSteps &operator=(const HotSteps &) = delete;
    ~HotSteps() {
        if (has(answer<Result>.end) && has_result_) answer<Result>.end(result_);
        (end<At, C>(), ...);
    }

    bool load([[maybe_unused]] PyObject *const *args, [[maybe_unused]] ArgumentContext &context) {
        return (load_one<At, C>(args[At], context) && ...);
    }
    bool check([[maybe_unused]] const ArgumentContext &context) {
        if (!has(checks)) return true;
        return (!has(checks->together) || checks->together(converters_, context)) &&
               (!has(checks->sizes) || checks->sizes(converters_, {context, all, converters_}));
    }
    int absence() const { return has(checks) && has(checks->required) ? checks->required().absence() : 0; }
    void begin(Traced &traced, const FunctionRecord &record, PyObject *const *args) const {
        traced.begin(record, all, converters_, args);
    }
    int end(Traced &traced, int status) const { return traced.end(answer<Result>, result_, status); }
    int invoke() {
        const int status = call(converters_, result_);
        has_result_ = true;
        return status;
    }
    static constexpr bool is_settled() { return answer<Result>.is_status && !all.follow; }
    static constexpr bool is_void() { return answer<Result>.is_void; }
    void finish(bool success) {
        (answered<At, C>(), ...);
        if (!success) return;
        [[maybe_unused]] const void *made = nullptr;
        if (has(answer<Result>.made)) made = answer<Result>.made(result_);
        (succeeded<At, C>(made), ...);
    }
    PyObject *make(const BindingMode &mode, const FunctionRecord &record, int status, bool success) {
        if (!has(answer<Result>.make)) return status_alone(mode, record, status);
        return answer<Result>.make(mode, record, result_, success);
    }

private:
    // A plain comparison would be a warning, because the operation is a constant.
    template <class Operation> static constexpr bool has(Operation *operation) { return operation; }

    static constexpr const Parameters &all = parameters<C...>;

    template <std::size_t at, class One> One &converter() {
        return *std::launder(reinterpret_cast<One *>(converters_ + placed_parameters<C...>[at].offset));
    }
    template <std::size_t at, class One> bool load_one(PyObject *argument, ArgumentContext &context) {
        context.index = at;
        count_ = at + 1;
        const long long fallback = argument ? 0 : fallback_of(context, sizeof...(C));
        return pygpu::load<One>(converters_ + placed_parameters<C...>[at].offset, argument, context,
                                fallback);
    }
    template <std::size_t at, class One> void answered() {
        if (has(conversion<One>.answered)) conversion<One>.answered(&converter<at, One>());
    }
    template <std::size_t at, class One> void succeeded(const void *made) {
        if (has(conversion<One>.succeeded)) conversion<One>.succeeded(&converter<at, One>(), made);
    }
    template <std::size_t at, class One> void end() {
        if constexpr (!std::is_trivially_destructible_v<One>) {
            if (at < count_) std::destroy_at(&converter<at, One>());
        }
    }

    static constexpr std::size_t alignment = 16;
    static_assert(((alignof(C) <= alignment) && ...));
    static_assert(answer<Result>.alignment <= alignment);

    alignas(alignment) std::byte converters_[all.bytes + 1];
    alignas(alignment) std::byte result_[answer<Result>.bytes + 1];
    std::size_t count_ = 0; // of the converters that are made
    bool has_result_ = false;
};

} // namespace pygpu
