// An entry point of a vendor's library. It can be called at any time, and gives a defined status while the
// library's function is absent.
#pragma once

#include "base/lock.hpp"
#include "base/text_table.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace pygpu {

// What an absent function returns: the status if it returns statuses, else null or zeros. Nobody sees these
// (see Required in call/outcome.hpp).
template <class Result> Result absent([[maybe_unused]] int status) {
    if constexpr (std::is_enum_v<Result>)
        return static_cast<Result>(status);
    else if constexpr (!std::is_void_v<Result>)
        return Result{};
}

// For stream types the number of the handle that means the calling thread's own stream; 0 for other types.
template <class T> inline constexpr std::uintptr_t own_handle = 0;

// An entry as the loader sees it, whatever its type. It holds the function's address, or the status that
// calls return without one. Both fit in one number, because no function lies in the first page.
class AnyEntry {
public:
    void serve(void *function) { target_.store(reinterpret_cast<std::uintptr_t>(function), order); }
    void serve_none(int status) { target_.store(static_cast<std::uintptr_t>(status), order); }
    // From now on a null stream means the calling thread's own stream. The library's function doesn't know
    // that, so the call replaces the handle.
    void pass_own_handles() { own_handles_.store(true, order); }
    // The address of the library's function; null while there is none.
    void *address() const {
        const std::uintptr_t target = target_.load(order);
        return is_status_code(target) ? nullptr : reinterpret_cast<void *>(target);
    }
    // The status that says why there is no function; 0 if there is one.
    int absence() const {
        const std::uintptr_t target = target_.load(order);
        return is_status_code(target) ? static_cast<int>(target) : 0;
    }

protected:
    static constexpr auto order = std::memory_order_relaxed;
    static bool is_status_code(std::uintptr_t target) { return target < 4096; }

    std::atomic<std::uintptr_t> target_{0}; // serve_none() is called while the module is made
    std::atomic<bool> own_handles_{false};
};

template <class Prototype> class Entry;

template <class Result, class... Arguments> class Entry<Result(Arguments...)> : public AnyEntry {
public:
    Result operator()(Arguments... arguments) const {
        check_no_lock_held();
        const std::uintptr_t target = target_.load(order);
        if (is_status_code(target)) [[unlikely]]
            return absent<Result>(static_cast<int>(target));
        if constexpr ((own_handle<Arguments> || ...)) {
            if (own_handles_.load(order)) [[unlikely]]
                (make_own(arguments), ...);
        }
        return reinterpret_cast<Result (*)(Arguments...) noexcept>(target)(arguments...); // it is C
    }

private:
    template <class T> static void make_own([[maybe_unused]] T &argument) {
        if constexpr (own_handle<T> != 0) {
            if (!argument) argument = reinterpret_cast<T>(own_handle<T>);
        }
    }
};

// The vendor's text for a status. C returns it or gives it through a pointer. Null if there is none.
template <class Status> const char *text_of(const Entry<const char *(Status)> &ask, int status) {
    return ask(static_cast<Status>(status));
}
template <class Status> const char *text_of(const Entry<Status(Status, const char **)> &ask, int status) {
    const char *text = nullptr;
    return ask(static_cast<Status>(status), &text) == Status{} ? text : nullptr;
}

// What an entry calls in some releases (1209 is release 12.9) instead of its own symbol: another symbol, or
// an adaptor of ours with the entry's prototype. Both are null if nothing can stand in for it.
struct SymbolRange {
    int since;
    int until;
    const char *name = nullptr;
    const char *per_thread = nullptr;
    void *adaptor = nullptr;
};

template <class Function>
SymbolRange adapted(int since, int until, const Entry<Function> &, std::type_identity_t<Function> *adaptor) {
    return {since, until, nullptr, nullptr, reinterpret_cast<void *>(adaptor)};
}

// How the loader fills an entry: by name, without knowing its type.
struct Symbol {
    struct Literal {
        const char *function;   // the public name; null for an older form that only adaptors call
        const char *name;       // the exported name
        const char *per_thread; // the twin for the per-thread default stream, or null
        AnyEntry &entry;
        std::span<const SymbolRange> others{};
    };

    TableText function;
    TableText name;
    TableText per_thread;
    AnyEntry *entry{};
    std::span<const SymbolRange> others;

    constexpr void read(const Literal &row, auto text) {
        text(function, offsetof(Symbol, function), row.function);
        text(name, offsetof(Symbol, name), row.name);
        text(per_thread, offsetof(Symbol, per_thread), row.per_thread);
        entry = &row.entry;
        others = row.others;
    }
};

} // namespace pygpu
