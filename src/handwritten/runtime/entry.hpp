// An entry point of a vendor's library: callable at any time, with a defined status while it is absent.
#pragma once

#include "python/lock.hpp"
#include "runtime/text_table.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace pygpu {

// What an absent function returns: the status where it has one, else nothing (null, zeros), which nobody sees
// (see Required in call/outcome.hpp).
template <class Result> Result absent([[maybe_unused]] int status) {
    if constexpr (std::is_enum_v<Result>)
        return static_cast<Result>(status);
    else if constexpr (!std::is_void_v<Result>)
        return Result{};
}

// The number of the handle that means the calling thread's own (of streams); 0 for all other types.
template <class T> inline constexpr std::uintptr_t own_handle = 0;

// An entry as the loader sees it, whatever its type: where the function is, or the status of a call that
// finds none, as no function lies on the first page.
class AnyEntry {
public:
    void serve(void *function) { target_.store(reinterpret_cast<std::uintptr_t>(function), order); }
    void serve_none(int status) { target_.store(static_cast<std::uintptr_t>(status), order); }
    // Null handles are the calling thread's own from now on, which the function doesn't see by itself.
    void pass_own_handles() { own_handles_.store(true, order); }
    // Where the library's function is; null while there is none.
    void *address() const {
        const std::uintptr_t target = target_.load(order);
        return is_status_code(target) ? nullptr : reinterpret_cast<void *>(target);
    }
    // Why there is none, as a status; 0 where there is one.
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

// The vendor's text of a status, which C returns or gives through a pointer; null where it has none.
template <class Status> const char *text_of(const Entry<const char *(Status)> &ask, int status) {
    return ask(static_cast<Status>(status));
}
template <class Status> const char *text_of(const Entry<Status(Status, const char **)> &ask, int status) {
    const char *text = nullptr;
    return ask(static_cast<Status>(status), &text) == Status{} ? text : nullptr;
}

// What serves an entry in some releases instead of the symbol of its own (1209 is release 12.9): another
// symbol, a function of ours that has the entry's form, or neither where no call can stand in for it.
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
    struct Written {
        const char *function;   // the public name; null for an older form, which only adaptors call
        const char *name;       // the exported one
        const char *per_thread; // the twin for the per-thread default stream, or null
        AnyEntry &entry;
        std::span<const SymbolRange> others{};
    };

    TableText function;
    TableText name;
    TableText per_thread;
    AnyEntry *entry{};
    std::span<const SymbolRange> others;

    constexpr void read(const Written &row, auto text) {
        text(function, offsetof(Symbol, function), row.function);
        text(name, offsetof(Symbol, name), row.name);
        text(per_thread, offsetof(Symbol, per_thread), row.per_thread);
        entry = &row.entry;
        others = row.others;
    }
};

} // namespace pygpu
