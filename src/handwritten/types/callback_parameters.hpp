// Callbacks as parameters: a Python callable, an address or a ctypes function, and the user data that goes
// with it.
//
// For a callable, C gets a trampoline of ours and a token in place of the user data. An address and a
// ctypes function go to C as they are; their user data is then a pointer, as in C.
#pragma once

#include "binding/error_type.hpp"
#include "binding/function_record.hpp"
#include "binding/mode.hpp"
#include "python/gil.hpp"
#include "types/callbacks/callable.hpp"
#include "types/callbacks/capture.hpp"
#include "types/handles/handle_class.hpp"
#include "types/results.hpp"

#include <array>
#include <cstdint>
#include <tuple>
#include <type_traits>

namespace pygpu {

// How long C may call: one time; one time, or as long as the graph lives that a stream was capturing into;
// until it is unregistered.
enum class Lives : std::uint8_t { once, graph, registered };

// The C function in front of callables for one signature: the `void *` in it is the user data.
template <class Function> struct Trampoline;

template <class... Arguments> struct Trampoline<void (*)(Arguments...)> {
    static_assert((std::is_same_v<Arguments, void *> + ...) == 1, "one void * must be the user data");

    static void run(Arguments... arguments) {
        enter_python([&] {
            Called called = recall(token_among(arguments...));
            if (!called.callable) return;
            PyObject *objects[] = {convert(called, arguments)...};
            call_from_c(called, objects, sizeof...(Arguments));
        });
    }

private:
    static Token token_among(Arguments... arguments) {
        Token token = 0;
        ((token = std::is_same_v<Arguments, void *> ? token_of(arguments) : token), ...);
        return token;
    }
    template <class T> static Token token_of([[maybe_unused]] T argument) {
        if constexpr (std::is_same_v<T, void *>)
            return reinterpret_cast<Token>(argument);
        else
            return 0;
    }
    template <class T> static PyObject *convert(const Called &called, [[maybe_unused]] T argument) {
        if constexpr (std::is_same_v<T, void *>)
            return Py_NewRef(called.data);
        else if constexpr (is_status<T>)
            return called.errors->get(static_cast<int>(argument));
        else
            return to_python(argument);
    }
    // A struct that C lends for the time of the call is copied: the callable may keep it.
    template <CStruct T> static PyObject *convert(const Called &, T *lent) {
        if (!lent) Py_RETURN_NONE;
        return struct_copy(struct_class<T>(), lent);
    }
};

template <class Function, Lives lives> struct Callback {
    Function function;
    operator Function() const { return function; }
};

struct UserData {
    void *data;
    operator void *() const { return data; }
};

template <class Function, Lives lives> struct Converter<Callback<Function, lives>> {
    PyObject *callable = nullptr; // borrowed from the call
    Memory memory;
    Token token = 0;
    Api *api = nullptr;
    void *graph = nullptr; // that the stream is capturing into

    Converter() = default;
    Converter(const Converter &) = delete;
    Converter &operator=(const Converter &) = delete;
    ~Converter() {
        if (token) forget(token); // C has not taken it
    }

    bool load(PyObject *object, const Place &place) {
        if (!is_python_callable(object)) return load_c_function(object, place, memory);
        callable = object;
        return true;
    }
    void fallback(long long) {}
    Callback<Function, lives> value() const {
        if (callable) return {&Trampoline<Function>::run};
        return {reinterpret_cast<Function>(memory.pointer())};
    }

    // The stream says whether the callable goes into a graph.
    template <Handle Stream> bool settle(const Converter<Stream> &stream, const Place &place) {
        if (callable) graph = captured_graph(place.row, stream.value());
        return true;
    }
    Token remember_with(PyObject *data, const Place &place) { // 0 with the exception set
        api = &place.row.api;
        const bool once = lives == Lives::once || (lives == Lives::graph && !graph);
        token = remember(callable, data, flavor_of(place.self).errors, once);
        return token;
    }

    template <class Result> void succeeded(const Result &result) {
        const Token taken = std::exchange(token, 0);
        if (!taken) return;
        if (graph) keep_by_graph(*api, graph, taken);
        if constexpr (lives == Lives::registered) remember_handle(std::get<0>(result), taken);
    }
};

template <> struct Converter<UserData> {
    PyObject *object = Py_None;
    Memory memory;

    bool load(PyObject *given, const Place &) {
        object = given;
        return true;
    }
    void fallback(long long) {}
    UserData value() const { return {memory.pointer()}; }

    template <class Function, Lives lives>
    bool settle(Converter<Callback<Function, lives>> &callback, const Place &place) {
        if (!callback.callable) return memory.load(object, place, Access::address);
        memory.set(callback.remember_with(object, place));
        return callback.token != 0;
    }
};

// The handle of a registration that a call ends: its callable is forgotten when the call succeeds.
template <class T> struct Unregistered {
    T handle;
    operator T() const { return handle; }
};

template <Handle T> struct Converter<Unregistered<T>> {
    Converter<T> handle;

    bool load(PyObject *object, const Place &place) { return handle.load(object, place); }
    void fallback(long long value) { handle.fallback(value); }
    Unregistered<T> value() const { return {handle.value()}; }
    void succeeded() { forget_handle(handle.value()); }
};

} // namespace pygpu
