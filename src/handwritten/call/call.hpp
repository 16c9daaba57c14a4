// The one path of every call: load the library, convert, release the GIL, call, build the result.
#pragma once

#include "binding/arguments.hpp"
#include "binding/function.hpp"
#include "binding/function_record.hpp"
#include "binding/mode.hpp"
#include "binding/status_type.hpp"
#include "call/checked.hpp"
#include "call/outcome.hpp"
#include "call/prepare.hpp"
#include "call/traits.hpp"
#include "convert/converter.hpp"
#include "convert/memory.hpp"
#include "convert/scalars.hpp"
#include "convert/sequences.hpp"
#include "convert/text.hpp"
#include "python/gil.hpp"
#include "python/reference.hpp"
#include "runtime/api.hpp"
#include "types/by_enumerator/inputs.hpp"
#include "types/by_enumerator/outputs.hpp"
#include "types/callback_parameters.hpp"
#include "types/enums/enum_class.hpp"
#include "types/handles/handle_class.hpp"
#include "types/launch/arguments.hpp"
#include "types/results.hpp"
#include "types/structs/converters.hpp"

#include <exception>
#include <tuple>
#include <utility>

namespace pygpu {

template <class T> inline constexpr bool is_valid_on_error = false;
template <class T> inline constexpr bool is_valid_on_error<ValidOnError<T>> = true;

template <class T> PyObject *value_or_none(bool succeeded, const T &value) {
    if (!succeeded && !is_valid_on_error<T>) Py_RETURN_NONE;
    return to_python(value);
}

// Takes a wrapper's result apart: a tuple that ends with the status, the status alone, or a bare value.
template <class Result> struct Finish {
    static PyObject *make(const BindingMode &mode, const FunctionRecord &record, const Result &result) {
        if constexpr (is_status<Result>) {
            const int status = static_cast<int>(result);
            return mode.raising ? checked_outcome(mode, record, status, nullptr, 0)
                                : mode.errors->get(status);
        } else {
            return to_python(result);
        }
    }
    // What is returned for a call that isn't made.
    static PyObject *refuse(const BindingMode &mode, const FunctionRecord &record, int status) {
        if constexpr (is_status<Result>) {
            return failure(mode, record, status, 0);
        } else {
            return raise_absent(mode, record, status);
        }
    }
};

template <> struct Finish<void> {
    static PyObject *refuse(const BindingMode &mode, const FunctionRecord &record, int status) {
        return raise_absent(mode, record, status);
    }
};

template <class... Parts> struct Finish<std::tuple<Parts...>> {
    static constexpr std::size_t count = sizeof...(Parts) - 1;
    static_assert(count <= most_outputs);

    static PyObject *make(const BindingMode &mode, const FunctionRecord &record,
                          const std::tuple<Parts...> &result) {
        return make(mode, record, result, std::make_index_sequence<count>{});
    }
    static PyObject *refuse(const BindingMode &mode, const FunctionRecord &record, int status) {
        return failure(mode, record, status, count);
    }

private:
    template <std::size_t... At>
    static PyObject *make(const BindingMode &mode, const FunctionRecord &record,
                          const std::tuple<Parts...> &result, std::index_sequence<At...>) {
        const int status = static_cast<int>(std::get<count>(result));
        const bool succeeded = record.api.statuses.succeeded(status);
        if constexpr (!(is_valid_on_error<Parts> || ...)) {
            if (!succeeded) return failure(mode, record, status, count);
        }
        PyObject *values[count] = {};
        static_cast<void>(((values[At] = value_or_none(succeeded, std::get<At>(result))) && ...));
        return outcome<count>(mode, record, status, values);
    }
};

// Values without a status.
template <class... Parts> struct Finish<Values<Parts...>> {
    static PyObject *make(const BindingMode &, const FunctionRecord &, const Values<Parts...> &result) {
        Reference tuple(PyTuple_New(sizeof...(Parts)));
        if (!tuple) return nullptr;
        Py_ssize_t at = 0;
        auto add = [&](PyObject *value) {
            PyTuple_SET_ITEM(tuple.get(), at++, value);
            return value != nullptr;
        };
        const bool made =
            std::apply([&](const Parts &...each) { return (add(to_python(each)) && ...); }, result.parts);
        return made ? tuple.release() : nullptr;
    }
    static PyObject *refuse(const BindingMode &mode, const FunctionRecord &record, int status) {
        return raise_absent(mode, record, status);
    }
};

template <class Result> bool has_succeeded(const FunctionRecord &record, const Result &result) {
    if constexpr (is_status<Result>)
        return record.api.statuses.succeeded(static_cast<int>(result));
    else
        return true;
}
template <class... Parts>
bool has_succeeded(const FunctionRecord &record, const std::tuple<Parts...> &result) {
    return record.api.statuses.succeeded(static_cast<int>(std::get<sizeof...(Parts) - 1>(result)));
}

// One converter for each argument. A std::tuple of them takes far longer to compile.
template <std::size_t At, class T> struct ConverterAt {
    Converter<T> converter;
};
template <class Indices, class... Arguments> struct Converters;
template <std::size_t... At, class... Arguments>
struct Converters<std::index_sequence<At...>, Arguments...> : ConverterAt<At, Arguments>... {};

template <std::size_t At, class T> Converter<T> &get(ConverterAt<At, T> &one) { return one.converter; }

// Whether a converter has anything to do after the call.
template <class C, class Result>
concept follows = requires(C &one) { one.answered(); } || requires(C &one) { one.succeeded(); } ||
                  requires(C &one, const Result &result) { one.succeeded(result); };

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
        const FunctionRecord &record = pygpu::record<Wrapper>;
        [[maybe_unused]] PyObject *slots[count + 1];
        if (given != static_cast<Py_ssize_t>(count) || keywords || record.positional < count) {
            if (!arrange(record, self, args, given, keywords, slots, count)) return nullptr;
            args = slots;
        }
        const BindingMode &mode = mode_of(self);
        if (needs_preparing(mode, record)) [[unlikely]] {
            int status = 0;
            if (!prepare(mode, record, status)) return nullptr;
            if (status) return Finish<Result>::refuse(mode, record, status);
        }

        [[maybe_unused]] Converters<std::index_sequence<At...>, Arguments...> converters;
        [[maybe_unused]] ArgumentContext context{record, 0, self};
        if (!((context.index = At, load<At>(get<At>(converters), args[At], record, context)) && ...))
            return nullptr;

        if constexpr (HasCrossChecks<Wrapper>) {
            auto all = [&]<std::size_t... One, std::size_t... Other>(std::tuple<CrossCheck<One, Other>...>) {
                return (get<One>(converters)
                            .check_with(get<Other>(converters), ArgumentContext{record, One, self}) &&
                        ...);
            };
            if (!all(CrossChecks<Wrapper>::how)) return nullptr;
        }
        if constexpr (HasSizeRequirements<Wrapper>) {
            const std::size_t sizes[] = {size_of(get<At>(converters))...};
            for (const SizeRequirement &need :
                 SizeRequirements<Wrapper>::of(get<At>(converters).value()...)) {
                const std::size_t size = sizes[need.parameter];
                if (size < need.size)
                    return too_short(ArgumentContext{record, need.parameter, self}, need, size);
            }
        }

        if constexpr (HasRequired<Wrapper>) {
            if (const int status = Required<Wrapper>::entry().absence()) [[unlikely]]
                return raise_absent(mode, record, status);
        }

        const bool release = record.gil == Gil::release || !record.api.called.load(std::memory_order_relaxed);
        auto invoke = [&] {
            GilReleased released(release);
            return Wrapper(get<At>(converters).value()...);
        };
        if constexpr (std::is_void_v<Result>) {
            invoke();
            Py_RETURN_NONE;
        } else {
            constexpr bool asks_for_memory =
                !std::is_trivially_destructible_v<Result> || (follows<Converter<Arguments>, Result> || ...);
            if constexpr (!asks_for_memory) {
                return finish(mode, record, invoke(), get<At>(converters)...);
            } else {
                try {
                    return finish(mode, record, invoke(), get<At>(converters)...);
                } catch (const std::exception &) { // no memory for an output
                    return PyErr_NoMemory();
                }
            }
        }
    }

    // Templates, as there is no reference to void.
    template <class Given, class... Converting>
    static PyObject *finish(const BindingMode &mode, const FunctionRecord &record, const Given &result,
                            Converting &...converters) {
        // Only a call that can wait and went through has started the driver.
        const bool success = has_succeeded(record, result);
        if (record.gil == Gil::release && success) record.api.called.store(true, std::memory_order_relaxed);
        (answered(converters), ...);
        if (success) (succeeded(converters, result), ...);
        return Finish<Given>::make(mode, record, result);
    }

    template <std::size_t At, class C>
    static bool load(C &converter, PyObject *argument, const FunctionRecord &record,
                     const ArgumentContext &context) {
        const bool optional = At + record.fallbacks.size() >= count;
        if (argument || !optional) return converter.load(argument, context);
        converter.fallback(record.fallbacks[At + record.fallbacks.size() - count]);
        return true;
    }

    template <class C> static void answered([[maybe_unused]] C &converter) {
        if constexpr (requires { converter.answered(); }) converter.answered();
    }

    template <class C, class Given>
    static void succeeded([[maybe_unused]] C &converter, [[maybe_unused]] const Given &result) {
        if constexpr (requires { converter.succeeded(result); })
            converter.succeeded(result);
        else if constexpr (requires { converter.succeeded(); })
            converter.succeeded();
    }
};

// The function-table entry for a wrapper whose record is known.
template <auto Wrapper> inline constexpr Function bound = {&record<Wrapper>, &Caller<Wrapper>::call};

} // namespace pygpu
