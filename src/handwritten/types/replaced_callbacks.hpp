// Callbacks to which C passes no user data. C has one of each kind at a time, so a slot of its own finds the
// callable; the function that registers it replaces the former one.
#pragma once

#include "types/callback_parameters.hpp"
#include "types/callbacks/lent_memory.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace pygpu {

// What C does with memory in the callback: nothing, asks for it, or gives it back.
enum class CallbackMemory : std::uint8_t { none, asked, given };

template <class Slot> struct CallbackSlot {
    static inline std::atomic<Token> token{0};
};

template <class Function, class Slot, CallbackMemory memory> struct ReplacedTrampoline;

template <class Result, class... Arguments, class Slot, CallbackMemory memory>
struct ReplacedTrampoline<Result (*)(Arguments...), Slot, memory> {
    static Result run(Arguments... arguments) {
        return enter(std::index_sequence_for<Arguments...>{}, arguments...);
    }

private:
    static constexpr std::size_t count = sizeof...(Arguments);
    static constexpr bool is_byte[] = {std::is_same_v<Arguments, unsigned char *>..., false};

    // Where the memory is that C gives back: the only pointer to bytes.
    static constexpr std::size_t buffer() {
        std::size_t at = 0;
        while (at < count && !is_byte[at]) ++at;
        return at;
    }
    template <std::size_t... At> static Result enter(std::index_sequence<At...>, Arguments... arguments) {
        [[maybe_unused]] long long result = 0;
        [[maybe_unused]] std::size_t valid = 0;
        if constexpr (memory == CallbackMemory::given)
            ((valid = At == buffer() + 2 ? number(arguments) : valid), ...);
        enter_python([&] {
            Called called = recall(CallbackSlot<Slot>::token.load());
            if (!called.callable) return;
            PyObject *objects[] = {convert<At>(called, arguments, valid)..., nullptr};
            if constexpr (std::is_void_v<Result>)
                call_from_c(called, objects, count);
            else
                call_from_c(called, objects, count, Trampoline<Result (*)(void *)>::results(), result);
        });
        if constexpr (memory == CallbackMemory::given) (take_back<At>(arguments), ...);
        if constexpr (!std::is_void_v<Result>) return static_cast<Result>(result);
    }
    template <class T> static std::size_t number([[maybe_unused]] T argument) {
        if constexpr (std::is_integral_v<T>)
            return static_cast<std::size_t>(argument);
        else
            return 0;
    }
    template <std::size_t at, class T> static void take_back([[maybe_unused]] T argument) {
        if constexpr (at == buffer()) take_back_memory(argument);
    }
    template <std::size_t at, class T>
    static PyObject *convert(const Called &called, T argument, [[maybe_unused]] std::size_t valid) {
        if constexpr (memory == CallbackMemory::given && at == buffer())
            return lent_bytes(argument, valid);
        else
            return convert_argument(called, argument);
    }
};

// C asks for memory: the callable returns its size, and numbers for the other parameters.
template <class T, class... Numbers, class Slot>
struct ReplacedTrampoline<void (*)(T **, std::size_t *, Numbers *...), Slot, CallbackMemory::asked> {
    static void run(T **memory, std::size_t *size, Numbers *...others) {
        long long numbers[1 + sizeof...(Numbers)] = {};
        enter_python([&] {
            Called called = recall(CallbackSlot<Slot>::token.load());
            if (called.callable) call_for_numbers(called, numbers, std::size(numbers));
        });
        *memory = numbers[0] ? static_cast<T *>(lend_memory(static_cast<std::size_t>(numbers[0]))) : nullptr;
        *size = *memory ? static_cast<std::size_t>(numbers[0]) : 0;
        std::size_t at = 0;
        ((*others = static_cast<Numbers>(numbers[++at])), ...);
    }
};

template <class Function, class Slot, CallbackMemory memory> struct Replaced {
    Function function;
    operator Function() const { return function; }
};

template <class Function, class Slot, CallbackMemory what> struct Converter<Replaced<Function, Slot, what>> {
    Memory memory;
    Token token = 0, former = 0;
    bool placed = false;

    Converter() = default;
    Converter(const Converter &) = delete;
    Converter &operator=(const Converter &) = delete;
    ~Converter() {
        if (!token) return;
        Token own = token; // C has not taken it
        if (placed) CallbackSlot<Slot>::token.compare_exchange_strong(own, former);
        forget(token);
    }

    bool load(PyObject *object, const ArgumentContext &context) {
        if (!is_python_callable(object)) return load_c_function(object, context, memory);
        token = remember(object, Py_None, mode_of(context.self).errors, false);
        return token != 0;
    }
    // C may call it before the function returns, so the slot has it before.
    Replaced<Function, Slot, what> value() {
        if (!token) return {reinterpret_cast<Function>(memory.pointer())};
        if (!placed) former = CallbackSlot<Slot>::token.exchange(token);
        placed = true;
        return {&ReplacedTrampoline<Function, Slot, what>::run};
    }
    void succeeded() {
        if (!token) former = CallbackSlot<Slot>::token.exchange(0);
        token = 0;
        if (former) forget(std::exchange(former, 0));
    }
};

} // namespace pygpu
