// The one path of every call: load the library, convert, give the GIL away, call, build the result.
#pragma once

#include "call/arguments.hpp"
#include "call/checked.hpp"
#include "call/flavor.hpp"
#include "call/function.hpp"
#include "call/needs.hpp"
#include "call/row.hpp"
#include "callbacks/callback.hpp"
#include "convert/converter.hpp"
#include "convert/memory.hpp"
#include "convert/outputs.hpp"
#include "convert/scalars.hpp"
#include "convert/sequences.hpp"
#include "convert/structs.hpp"
#include "convert/text.hpp"
#include "errors/error_type.hpp"
#include "handles/handle_class.hpp"
#include "interpreter/gil.hpp"
#include "interpreter/later.hpp"
#include "interpreter/reference.hpp"
#include "launch/arguments.hpp"
#include "loader/api.hpp"
#include "names/enum_class.hpp"
#include "typed/inputs.hpp"
#include "typed/outputs.hpp"

#include <optional>
#include <tuple>
#include <utility>

namespace pygpu {

template <class T> inline constexpr bool survives_failure = false;
template <class T> inline constexpr bool survives_failure<Kept<T>> = true;

template <class T> PyObject *value_or_none(bool succeeded, const T &value) {
    if (!succeeded && !survives_failure<T>) Py_RETURN_NONE;
    return to_python(value);
}

// What a wrapper returned, in Python's form: (value, …, error), or the values alone in the raising form.
template <class... Values> struct Outcome {
    static constexpr std::size_t count = sizeof...(Values);

    static PyObject *make(const Flavor &flavor, const Row &row, int status, const Values &...values) {
        if (flavor.raising) return make_checked(flavor, row, status, values...);
        PyObject *error = flavor.errors->get(status);
        if (count == 0 || !error) return error;
        PyObject *tuple = PyTuple_New(count + 1);
        if (!tuple) {
            Py_DECREF(error);
            return nullptr;
        }
        PyTuple_SET_ITEM(tuple, count, error);
        return fill(tuple, status == 0, values...);
    }

private:
    static PyObject *fill(PyObject *tuple, [[maybe_unused]] bool succeeded, const Values &...values) {
        [[maybe_unused]] Py_ssize_t at = 0;
        bool converted = true;
        ((PyTuple_SET_ITEM(tuple, at, converted ? value_or_none(succeeded, values) : nullptr),
          converted = converted && PyTuple_GET_ITEM(tuple, at) != nullptr, ++at),
         ...);
        if (converted) return tuple;
        Py_DECREF(tuple);
        return nullptr;
    }

    static PyObject *make_checked(const Flavor &flavor, const Row &row, int status, const Values &...values) {
        if constexpr (count == 0) {
            if (row.checked == Checked::status) return flavor.errors->get(status);
            if (row.checked == Checked::ready) return ready_or_raise(flavor, row, status);
        }
        if (status == 0) {
            if constexpr (count == 0)
                Py_RETURN_NONE;
            else if constexpr (count == 1)
                return (value_or_none(true, values), ...);
        }
        PyObject *tuple = PyTuple_New(count);
        if (!tuple || !fill(tuple, status == 0, values...)) return nullptr;
        if (status == 0) return tuple;
        return raise_status(flavor, row, flavor.errors->get(status), tuple);
    }
};

// Takes a wrapper's result apart: a tuple that ends with the status, the status alone, or a bare value.
template <class Result> struct Finish {
    static PyObject *make(const Flavor &flavor, const Row &row, const Result &result) {
        if constexpr (is_status<Result>) {
            return Outcome<>::make(flavor, row, static_cast<int>(result));
        } else {
            return to_python(result);
        }
    }
};

template <class... Parts> struct Finish<std::tuple<Parts...>> {
    static PyObject *make(const Flavor &flavor, const Row &row, const std::tuple<Parts...> &result) {
        return make(flavor, row, result, std::make_index_sequence<sizeof...(Parts) - 1>{});
    }
    template <std::size_t... At>
    static PyObject *make(const Flavor &flavor, const Row &row, const std::tuple<Parts...> &result,
                          std::index_sequence<At...>) {
        const int status = static_cast<int>(std::get<sizeof...(Parts) - 1>(result));
        return Outcome<std::tuple_element_t<At, std::tuple<Parts...>>...>::make(flavor, row, status,
                                                                                std::get<At>(result)...);
    }
};

template <class Result> bool has_succeeded(const Result &result) {
    if constexpr (is_status<Result>)
        return static_cast<int>(result) == 0;
    else
        return true;
}
template <class... Parts> bool has_succeeded(const std::tuple<Parts...> &result) {
    return static_cast<int>(std::get<sizeof...(Parts) - 1>(result)) == 0;
}

// What a function returns that the backend has no counterpart for.
template <class Result> Result refused() {
    Result result{};
    if constexpr (is_status<Result>)
        result = static_cast<Result>(not_supported);
    else if constexpr (requires { std::tuple_size<Result>::value; }) {
        auto &status = std::get<std::tuple_size_v<Result> - 1>(result);
        status = static_cast<std::remove_reference_t<decltype(status)>>(not_supported);
    }
    return result;
}

template <auto Wrapper, class Signature = decltype(Wrapper)> struct Caller;

template <auto Wrapper, class Result, class... Arguments> struct Caller<Wrapper, Result (*)(Arguments...)> {
    static constexpr std::size_t count = sizeof...(Arguments);

    static PyObject *call(PyObject *self, PyObject *const *args, Py_ssize_t given, PyObject *keywords) {
        return call(self, args, given, keywords, std::index_sequence_for<Arguments...>{});
    }

private:
    template <std::size_t... At>
    static PyObject *call(PyObject *self, PyObject *const *args, Py_ssize_t given, PyObject *keywords,
                          std::index_sequence<At...>) {
        const Row &row = pygpu::row<Wrapper>;
        [[maybe_unused]] PyObject *slots[count + 1];
        if (given != static_cast<Py_ssize_t>(count) || keywords || row.positional < count) {
            if (!arrange(row, self, args, given, keywords, slots, count)) return nullptr;
            args = slots;
        }
        const Flavor &flavor = flavor_of(self);
        if (flavor.refusing) [[unlikely]] {
            if constexpr (std::is_void_v<Result>)
                Py_RETURN_NONE;
            else
                return Finish<Result>::make(flavor, row, refused<Result>());
        }
        // Before conversion: finding the library may run Python code, and decides how structs are laid out.
        if (!row.api.ready() && !ensure_loaded(row.api, row.name, flavor.host)) return nullptr;
        if (has_postponed()) [[unlikely]]
            do_postponed();

        [[maybe_unused]] std::tuple<Converter<Arguments>...> converters;
        if (!(load(std::get<At>(converters), args[At], row, At, self) && ...)) return nullptr;

        if constexpr (HasSettles<Wrapper>) {
            auto all = [&]<std::size_t... One, std::size_t... Other>(std::tuple<Settle<One, Other>...>) {
                return (
                    std::get<One>(converters).settle(std::get<Other>(converters), Place{row, One, self}) &&
                    ...);
            };
            if (!all(Settles<Wrapper>::how)) return nullptr;
        }
        if constexpr (HasNeeds<Wrapper>) {
            const std::size_t sizes[] = {size_of(std::get<At>(converters))...};
            for (const Need &need : Needs<Wrapper>::of(std::get<At>(converters).value()...)) {
                const std::size_t size = sizes[need.parameter];
                if (size < need.size) return too_short(Place{row, need.parameter, self}, need, size);
            }
        }

        const bool give = row.gil == Gil::release || !row.api.called.load(std::memory_order_relaxed);
        auto invoke = [&] {
            GilGivenAway away(give);
            return Wrapper(std::get<At>(converters).value()...);
        };
        if constexpr (std::is_void_v<Result>) {
            invoke();
            Py_RETURN_NONE;
        } else {
            std::optional<Result> outcome;
            try {
                outcome.emplace(invoke());
            } catch (const std::exception &) { // room for an output that nobody has
                return PyErr_NoMemory();
            }
            const Result &result = *outcome;
            // Only a call that can wait and went through has started the driver.
            if (row.gil == Gil::release && has_succeeded(result)) {
                row.api.called.store(true, std::memory_order_relaxed);
            }
            (answered(std::get<At>(converters)), ...);
            if (has_succeeded(result)) (succeeded(std::get<At>(converters), result), ...);
            return Finish<Result>::make(flavor, row, result);
        }
    }

    template <class C>
    static bool load(C &converter, PyObject *argument, const Row &row, std::size_t index, PyObject *self) {
        if (argument) return converter.load(argument, Place{row, index, self});
        converter.fallback(row.parameters[index].fallback);
        return true;
    }

    template <class C> static void answered([[maybe_unused]] C &converter) {
        if constexpr (requires { converter.answered(); }) converter.answered();
    }

    template <class C>
    static void succeeded([[maybe_unused]] C &converter, [[maybe_unused]] const Result &result) {
        if constexpr (requires { converter.succeeded(result); })
            converter.succeeded(result);
        else if constexpr (requires { converter.succeeded(); })
            converter.succeeded();
    }
};

// The function-table entry for a wrapper whose row is known.
template <auto Wrapper> inline constexpr Function bound = {&row<Wrapper>, &Caller<Wrapper>::call};

} // namespace pygpu
