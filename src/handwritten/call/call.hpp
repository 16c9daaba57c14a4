// The path of a call of a bound function: load the library, convert, release the GIL, call, build the result.
// Launches of PyGPU.Kernel have a path of their own (kernels/launch.cpp).
//
// Functions that most calls and launches pass through are [[gnu::hot]], so that the linker places them side
// by side. A call into the driver drives our code out of the processor's caches, and code that lies together
// comes back sooner.
#pragma once

#include "binding/function.hpp"
#include "binding/function_record.hpp"
#include "binding/mode.hpp"
#include "binding/status_text.hpp"
#include "binding/status_type.hpp"
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
#include "types/structs/one_number.hpp"

#include <exception>
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
    static constexpr std::size_t outputs = is_status<Result> ? 0 : no_status;

    static int status_of([[maybe_unused]] const Result &result) {
        if constexpr (is_status<Result>)
            return static_cast<int>(result);
        else
            return 0;
    }
    static PyObject *make(const BindingMode &mode, const FunctionRecord &record, const Result &result, bool) {
        if constexpr (is_status<Result>)
            return status_alone(mode, record, static_cast<int>(result));
        else
            return to_python(result);
    }
};

template <> struct Finish<void> {
    static constexpr std::size_t outputs = no_status;
};

template <class... Each> struct Finish<Outputs<Each...>> {
    static constexpr std::size_t outputs = sizeof...(Each) - 1;
    static_assert(outputs <= most_outputs);

    static int status_of(const Outputs<Each...> &result) { return static_cast<int>(part<outputs>(result)); }

    static PyObject *make(const BindingMode &mode, const FunctionRecord &record,
                          const Outputs<Each...> &result, bool succeeded) {
        return make(mode, record, result, succeeded, std::make_index_sequence<outputs>{});
    }

private:
    template <std::size_t... At>
    static PyObject *make(const BindingMode &mode, const FunctionRecord &record,
                          const Outputs<Each...> &result, bool succeeded, std::index_sequence<At...>) {
        const int status = status_of(result);
        if constexpr (!(is_valid_on_error<Each> || ...)) {
            if (!succeeded) return failure(mode, record, status, outputs);
        }
        PyObject *values[outputs] = {};
        static_cast<void>(((values[At] = value_or_none(succeeded, part<At>(result))) && ...));
        return outcome<outputs>(mode, record, status, values);
    }
};

// Values without a status.
template <class... Each> struct Finish<Values<Each...>> {
    static constexpr std::size_t outputs = no_status;

    static int status_of(const Values<Each...> &) { return 0; }

    template <std::size_t... At>
    static PyObject *make(const BindingMode &, const FunctionRecord &,
                          const Parts<std::index_sequence<At...>, Each...> &result, bool) {
        Reference tuple(PyTuple_New(sizeof...(Each)));
        if (!tuple) return nullptr;
        auto add = [&](std::size_t at, PyObject *value) {
            PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(at), value);
            return value != nullptr;
        };
        return (add(At, to_python(part<At>(result))) && ...) ? tuple.release() : nullptr;
    }
};

// One converter for each argument. A std::tuple of them takes far longer to compile.
template <std::size_t At, class T> struct ConverterAt {
    Converter<T> converter;
};
template <class Indices, class... Arguments> struct Converters;
template <std::size_t... At, class... Arguments>
struct Converters<std::index_sequence<At...>, Arguments...> : ConverterAt<At, Arguments>... {};

template <std::size_t At, class T> Converter<T> &converter_at(ConverterAt<At, T> &one) {
    return one.converter;
}

// Converts an argument. If it was left out, its default is taken; only some functions have defaults.
template <class C>
bool load(C &converter, PyObject *argument, const ArgumentContext &context, std::size_t count,
          bool has_defaults) {
    if (argument || !has_defaults) return converter.load(argument, context);
    if constexpr (requires(long long value) { converter.fallback(value); })
        converter.fallback(fallback_of(context, count));
    return true;
}

// Whether a converter has anything to do after the call.
template <class C, class Result>
concept follows = requires(C &one) { one.answered(); } || requires(C &one) { one.succeeded(); } ||
                  requires(C &one, const Result &result) { one.succeeded(result); };

template <class C> void answered([[maybe_unused]] C &converter) {
    if constexpr (requires { converter.answered(); }) converter.answered();
}

template <class C, class Result>
void succeeded([[maybe_unused]] C &converter, [[maybe_unused]] const Result &result) {
    if constexpr (requires { converter.succeeded(result); })
        converter.succeeded(result);
    else if constexpr (requires { converter.succeeded(); })
        converter.succeeded();
}

template <class Result, class... Converting>
PyObject *finish(const BindingMode &mode, const FunctionRecord &record, const Result &result,
                 Converting &...converters) {
    if constexpr (is_status<Result> && !(follows<Converting, Result> || ...)) {
        return settle(mode, record, static_cast<int>(result));
    } else {
        const bool success = has_succeeded(mode, record, Finish<Result>::status_of(result));
        (answered(converters), ...);
        if (success) (succeeded(converters, result), ...);
        return Finish<Result>::make(mode, record, result, success);
    }
}

// This is compiled for each wrapper, and there are hundreds of them. So everything that wrappers can share
// stands above.
template <auto Wrapper, class Signature, class Indices> struct Caller;

template <auto Wrapper, class Result, class... Arguments, std::size_t... At>
struct Caller<Wrapper, Result (*)(Arguments...), std::index_sequence<At...>> {
    static constexpr std::size_t count = sizeof...(Arguments);

    static PyObject *call(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *keywords) {
        const FunctionRecord &record = pygpu::record<Wrapper>;
        PyObject *slots[count + 1];
        const BindingMode *const prepared =
            prepare(record, self, args, nargs, keywords, slots, {count, Finish<Result>::outputs});
        if (!prepared) return slots[0];
        [[maybe_unused]] const BindingMode &mode = *prepared;

        [[maybe_unused]] Converters<std::index_sequence<At...>, Arguments...> converters;
        [[maybe_unused]] ArgumentContext context{record, 0, self};
        [[maybe_unused]] PyObject *const *const each = args; // it doesn't change from here on
        if (!((context.index = At,
               load(converter_at<At>(converters), each[At], context, count, !record.fallbacks.empty())) &&
              ...))
            return nullptr;

        if constexpr (HasCrossChecks<Wrapper>) {
            auto all = [&]<std::size_t... One, std::size_t... Other>(
                           CrossCheckList<CrossCheck<One, Other>...>) {
                return (
                    (context.index = One,
                     converter_at<One>(converters).check_with(converter_at<Other>(converters), context)) &&
                    ...);
            };
            if (!all(typename CrossChecks<Wrapper>::How{})) return nullptr;
        }
        if constexpr (HasSizeRequirements<Wrapper>) {
            const std::size_t sizes[] = {size_of(converter_at<At>(converters))...};
            if (!long_enough(context, SizeRequirements<Wrapper>::of(converter_at<At>(converters).value()...),
                             sizes))
                return nullptr;
        }

        if constexpr (HasRequired<Wrapper>) {
            if (const int status = Required<Wrapper>::entry().absence()) [[unlikely]]
                return raise_absent(mode, record, status);
        }

        const bool release = record.gil == Gil::release || !record.api.called.load(std::memory_order_relaxed);
        auto invoke = [&]() __attribute__((always_inline)) {
            GilReleased released(release);
            return Wrapper(converter_at<At>(converters).value()...);
        };
        if constexpr (std::is_void_v<Result>) {
            invoke();
            (answered(converter_at<At>(converters)), ...);
            (succeeded(converter_at<At>(converters), true), ...);
            Py_RETURN_NONE;
        } else if constexpr (std::is_trivially_destructible_v<Result> &&
                             !(follows<Converter<Arguments>, Result> || ...)) {
            return finish(mode, record, invoke(), converter_at<At>(converters)...);
        } else {
            try {
                return finish(mode, record, invoke(), converter_at<At>(converters)...);
            } catch (const std::exception &) { // no memory for an output
                return PyErr_NoMemory();
            }
        }
    }
};

template <class Signature> struct IndicesOf;
template <class Result, class... Arguments> struct IndicesOf<Result (*)(Arguments...)> {
    using type = std::index_sequence_for<Arguments...>;
};

// The function-table entry for a wrapper whose record is known.
template <auto Wrapper, class Signature = decltype(Wrapper)>
inline constexpr Function bound = {&record<Wrapper>,
                                   &Caller<Wrapper, Signature, typename IndicesOf<Signature>::type>::call};

} // namespace pygpu
