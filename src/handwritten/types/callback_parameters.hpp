// Callbacks as parameters: a Python callable, an address or a ctypes function, and the user data that goes
// with it.
//
// For a Python callable, C gets a trampoline function, and a token as the user data. An address or a ctypes
// function goes to C as it is; its user data must then be a pointer, as in C.
#pragma once

#include "binding/function_record.hpp"
#include "binding/mode.hpp"
#include "binding/status_type.hpp"
#include "python/callback.hpp"
#include "types/callbacks/callable.hpp"
#include "types/callbacks/capture.hpp"
#include "types/handles/handle_class.hpp"
#include "types/lent_structs.hpp"
#include "types/results.hpp"

#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

namespace pygpu {

// How long C may call a callback. `once`: one time. `call`: until the call returns. `graph`: as long as the
// graph lives that the stream is capturing into; one time if it is not capturing. `registered`: until the
// callback is unregistered.
enum class Lives : std::uint8_t { once, call, graph, registered };

// Stands for the index of the one `void *` among a callback's parameters.
inline constexpr int only_pointer = -1;

template <class... Arguments> constexpr int index_of_data(int known) {
    if (known != only_pointer) return known;
    int index = 0, at = 0;
    ((index = std::is_same_v<Arguments, void *> ? at : index, ++at), ...);
    return index;
}

// The parameter at index `at` leads to a struct that C lends; the one at index `by` says to which.
template <const TypedTable &types, std::size_t where, std::size_t which> struct LentBy {
    static constexpr const TypedTable &table = types;
    static constexpr std::size_t at = where, by = which;
};
struct NothingLent {
    static constexpr std::size_t at = static_cast<std::size_t>(-1), by = 0;
};

// A callback's argument in Python's form. A struct that C lends only during the call is copied, because the
// callable may keep it.
template <class T> PyObject *convert_argument([[maybe_unused]] const Called &called, T argument) {
    if constexpr (is_status<T>)
        return called.errors->get(status_number(argument));
    else
        return to_python(argument);
}
template <CStruct T> PyObject *convert_argument(const Called &, T *lent) {
    if (!lent) Py_RETURN_NONE;
    return struct_copy(struct_class<T>(), lent);
}

// The C function that calls a Python callable, for one signature. Its parameter at index `data`, a `void *`,
// is the user data. C gets `failed` if the callable raised an exception or is gone.
template <class Function, int data = only_pointer, long long failed = 0, class Lent = NothingLent>
struct Trampoline;

template <class Result, class... Arguments, int data, long long failed, class Lent>
struct Trampoline<Result (*)(Arguments...), data, failed, Lent> {
    static constexpr std::size_t data_index = index_of_data<Arguments...>(data);
    static_assert(data != only_pointer || (std::is_same_v<Arguments, void *> + ...) == 1,
                  "one void * must be the user data");
    static_assert(std::is_same_v<std::tuple_element_t<data_index, std::tuple<Arguments...>>, void *>);
    static_assert(std::is_void_v<Result> || std::is_integral_v<Result> || std::is_enum_v<Result>);

    static Result run(Arguments... arguments) {
        return enter(std::index_sequence_for<Arguments...>{}, arguments...);
    }
    static constexpr Results results() { return results_of<Result>(); }

private:
    template <std::size_t... At> static Result enter(std::index_sequence<At...>, Arguments... arguments) {
        [[maybe_unused]] long long result = failed, by = 0;
        if constexpr (Lent::at != NothingLent::at) ((by = At == Lent::by ? number(arguments) : by), ...);
        enter_python([&] {
            Token token = 0;
            ((token = At == data_index ? token_of(arguments) : token), ...);
            Called called = recall(token);
            if (!called.callable) return;
            PyObject *objects[] = {convert<At>(called, arguments, by)...};
            if constexpr (std::is_void_v<Result>) {
                call_from_c(called, objects, sizeof...(Arguments));
            } else {
                call_from_c(called, objects, sizeof...(Arguments), results(), result);
            }
        });
        if constexpr (!std::is_void_v<Result>) return static_cast<Result>(result);
    }
    template <class T> static long long number([[maybe_unused]] T argument) {
        if constexpr (std::is_integral_v<T> || std::is_enum_v<T>)
            return static_cast<long long>(argument);
        else
            return 0;
    }
    template <class T> static constexpr Results results_of() {
        if constexpr (std::is_enum_v<T>) {
            return results_of<std::underlying_type_t<T>>();
        } else {
            using Limits = std::numeric_limits<T>;
            constexpr auto most = static_cast<unsigned long long>(Limits::max());
            return {static_cast<long long>(Limits::min()),
                    most < LLONG_MAX ? static_cast<long long>(most) : LLONG_MAX};
        }
    }
    template <class T> static Token token_of([[maybe_unused]] T argument) {
        if constexpr (std::is_same_v<T, void *>)
            return reinterpret_cast<Token>(argument);
        else
            return 0;
    }
    template <std::size_t at, class T>
    static PyObject *convert(const Called &called, [[maybe_unused]] T argument,
                             [[maybe_unused]] long long by) {
        if constexpr (at == data_index)
            return Py_NewRef(called.data);
        else if constexpr (at == Lent::at)
            return lent_to_python(Lent::table, by, argument);
        else
            return convert_argument(called, argument);
    }
};

template <class Function, Lives lives, int data = only_pointer, long long failed = 0,
          class Lent = NothingLent>
struct Callback {
    Function function;
    operator Function() const { return function; }
};

struct UserData {
    void *data;
    operator void *() const { return data; }
};

template <class Function, Lives lives, int data, long long failed, class Lent>
struct Converter<Callback<Function, lives, data, failed, Lent>> {
    PyObject *callable = nullptr; // borrowed from the call
    Memory memory;
    Token token = 0;
    Api *api = nullptr;
    void *graph = nullptr;        // the graph that the stream is capturing into
    const void *holder = nullptr; // the handle of a registration; it has one callable at a time

    Converter() = default;
    Converter(const Converter &) = delete;
    Converter &operator=(const Converter &) = delete;
    ~Converter() {
        if (token) forget(token); // C has not taken it
    }

    bool load(PyObject *object, const ArgumentContext &context) {
        if (!is_python_callable(object)) return load_c_function(object, context, memory);
        callable = object;
        return true;
    }
    Callback<Function, lives, data, failed, Lent> value() const {
        if (callable) return {&Trampoline<Function, data, failed, Lent>::run};
        return {reinterpret_cast<Function>(memory.pointer())};
    }

    // A stream shows whether the callable goes into a graph. A registered callable belongs to the handle.
    template <Handle T>
    bool check_with(const Converter<T> &handle, [[maybe_unused]] const ArgumentContext &context) {
        if constexpr (lives == Lives::registered)
            holder = handle.value();
        else if (callable)
            graph = captured_graph(context.record, handle.value());
        return true;
    }
    Token remember_with(PyObject *object, const ArgumentContext &context) { // 0 with the exception set
        api = &context.record.api;
        const bool once = lives == Lives::once || (lives == Lives::graph && !graph);
        token = remember(callable, object, mode_of(context.self).errors, once);
        return token;
    }

    void succeeded([[maybe_unused]] const void *made) {
        if constexpr (lives == Lives::call) return; // the destructor forgets the token
        const Token taken = std::exchange(token, 0);
        if (holder) {
            if (taken)
                remember_handle(holder, taken);
            else
                forget_handle(holder);
        }
        if (!taken || holder) return;
        if (graph) keep_by_graph(*api, graph, taken);
        if constexpr (lives == Lives::registered) {
            if (made) remember_handle(made, taken);
        }
    }
};

template <> struct Converter<UserData> {
    PyObject *object = Py_None;
    Memory memory;

    bool load(PyObject *callable, const ArgumentContext &) {
        object = callable;
        return true;
    }
    UserData value() const { return {memory.pointer()}; }

    template <class Function, Lives lives, int data, long long failed, class Lent>
    bool check_with(Converter<Callback<Function, lives, data, failed, Lent>> &callback,
                    const ArgumentContext &context) {
        if (!callback.callable) return memory.load(object, context, Access::address);
        memory.set(callback.remember_with(object, context));
        return callback.token != 0;
    }
};

// A handle whose registration the call ends. If the call succeeds, its callable is forgotten.
template <class T> struct Unregistered {
    T handle;
    operator T() const { return handle; }
};

template <Handle T> struct Converter<Unregistered<T>> {
    Converter<T> handle;

    bool load(PyObject *object, const ArgumentContext &context) { return handle.load(object, context); }
    void fallback(long long value) { handle.fallback(value); }
    Unregistered<T> value() const { return {handle.value()}; }
    void succeeded() { forget_handle(handle.value()); }
};

// The same for a call that also destroys the handle (Destroyed<T>, Ended<T>).
template <class Ending>
    requires(!Handle<Ending>)
struct Converter<Unregistered<Ending>> : Converter<Ending> {
    Unregistered<Ending> value() const { return {Converter<Ending>::value()}; }
    void succeeded() {
        forget_handle(this->handle.value());
        Converter<Ending>::succeeded();
    }
};

} // namespace pygpu
