// An entry point of a vendor's library: callable at any time, with a defined status while it is absent.
#pragma once

#include <atomic>
#include <span>
#include <type_traits>

namespace pygpu {

// The two statuses a call can meet before it reaches a vendor; both APIs give them these numbers.
inline constexpr int shared_object_symbol_not_found = 302;
inline constexpr int shared_object_init_failed = 303;

inline constexpr int not_supported = 801; // in both APIs

// What an absent function returns: the status where it has one, else nothing (null, zeros).
template <class Result> Result absent([[maybe_unused]] int status) {
    if constexpr (std::is_enum_v<Result>)
        return static_cast<Result>(status);
    else if constexpr (!std::is_void_v<Result>)
        return Result{};
}

template <class Prototype> class Entry;

template <class Result, class... Arguments> class Entry<Result(Arguments...)> {
public:
    Result operator()(Arguments... arguments) const {
        return function_.load(std::memory_order_relaxed)(arguments...);
    }

    // `symbol` is what dlsym found, null where the library lacks it.
    static void fill(void *entry, void *symbol) {
        static_cast<Entry *>(entry)->function_.store(symbol ? reinterpret_cast<Function *>(symbol) : &missing,
                                                     std::memory_order_relaxed);
    }
    // Where the library's function is; null while there is none.
    static void *address(const void *entry) {
        Function *function = static_cast<const Entry *>(entry)->function_.load(std::memory_order_relaxed);
        const bool absent = function == &unloaded || function == &missing;
        return absent ? nullptr : reinterpret_cast<void *>(function);
    }

private:
    using Function = Result(Arguments...);

    static Result unloaded(Arguments...) { return absent<Result>(shared_object_init_failed); }
    static Result missing(Arguments...) { return absent<Result>(shared_object_symbol_not_found); }

    std::atomic<Function *> function_{&unloaded};
};

// What serves an entry in some releases instead of the symbol of its own (1209 is release 12.9): another
// symbol, or a function of ours that has the entry's form.
struct SymbolRange {
    int since;
    int until;
    const char *name;
    const char *per_thread;
    void *adaptor = nullptr;
};

template <class Function>
SymbolRange adapted(int since, int until, const Entry<Function> &, Function *adaptor) {
    return {since, until, nullptr, nullptr, reinterpret_cast<void *>(adaptor)};
}

// For releases whose form of the function nothing can stand in for: ErrorNotSupported.
template <class Result, class... Arguments>
SymbolRange refused(int since, int until, const Entry<Result(Arguments...)> &entry) {
    Result (*answer)(Arguments...) = [](Arguments...) { return absent<Result>(not_supported); };
    return adapted(since, until, entry, answer);
}

// How the loader fills an entry: by name, without knowing its type.
struct Symbol {
    const char *function;   // the public name; null for an older form, which only adaptors call
    const char *name;       // the exported one
    const char *per_thread; // the twin for the per-thread default stream, or null
    void *entry;
    void (*fill)(void *entry, void *symbol);
    void *(*address)(const void *entry);
    std::span<const SymbolRange> others;
};

} // namespace pygpu
