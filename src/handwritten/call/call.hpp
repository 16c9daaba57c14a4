// Bound functions: what each adds to the path of a call (call/path.hpp). Launches of PyGPU.Kernel have a path
// of their own (kernels/launch.cpp).
//
// A table for each type (Conversion, Answer) tells run_call() how to convert and what to return. An instance
// of the path for each function, with its converters inlined, would be several times as large and take twice
// as long to compile. Only hot functions have one: it saves about 3 ns, and 3 ns more for each argument.
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
#include "call/hot.hpp"
#include "call/outcome.hpp"
#include "call/path.hpp"
#include "call/plan.hpp"
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
#include "types/records.hpp"
#include "types/replaced_callbacks.hpp"
#include "types/results.hpp"
#include "types/structs/converters.hpp"
#include "types/structs/one_number.hpp"

#include <cstddef>
#include <memory>
#include <new>
#include <tuple>
#include <utility>

namespace pygpu {

template <class T> Held<T> &converter_at(std::byte *place) {
    return *std::launder(reinterpret_cast<Held<T> *>(place));
}
template <class T> T value_at(std::byte *place) { return static_cast<T>(converter_at<T>(place).value()); }

// What a function checks once its arguments are converted.
template <auto Wrapper, class... Arguments> struct Checking {
    static constexpr const auto &placed = placed_parameters<Held<Arguments>...>;
    template <std::size_t which> using ArgumentAt = std::tuple_element_t<which, std::tuple<Arguments...>>;

    template <std::size_t one, std::size_t other>
    static bool check_one(std::byte *converters, const ArgumentContext &context, CrossCheck<one, other>) {
        return converter_at<ArgumentAt<one>>(converters + placed[one].offset)
            .check_with(converter_at<ArgumentAt<other>>(converters + placed[other].offset),
                        ArgumentContext{context.record, one, context.self});
    }
    template <class... Each> static bool check(std::byte *converters, const ArgumentContext &context) {
        return (check_one(converters, context, Each{}) && ...);
    }
    template <class... Each> static constexpr auto check_of(CrossCheckList<Each...>) {
        return &check<Each...>;
    }

    template <std::size_t... Of>
    static bool reach([[maybe_unused]] std::byte *converters, const HeldSizes &held) {
        return SizeRequirements<Wrapper>::met(held,
                                              value_at<ArgumentAt<Of>>(converters + placed[Of].offset)...);
    }
    template <std::size_t... Of> static constexpr auto reach_of(pygpu::Arguments<Of...>) {
        return &reach<Of...>;
    }

    static constexpr Checks make() {
        Checks made;
        if constexpr (HasCrossChecks<Wrapper>) made.together = check_of(typename CrossChecks<Wrapper>::How{});
        if constexpr (HasSizeRequirements<Wrapper>)
            made.sizes = reach_of(typename SizeRequirements<Wrapper>::Of{});
        if constexpr (HasRequired<Wrapper>) made.required = &Required<Wrapper>::entry;
        return made;
    }
    static constexpr Checks checks = make();
};

template <auto Wrapper>
inline constexpr bool has_checks =
    HasCrossChecks<Wrapper> || HasSizeRequirements<Wrapper> || HasRequired<Wrapper>;

template <auto Wrapper, class... Arguments> constexpr const Checks *checks_of() {
    if constexpr (has_checks<Wrapper>)
        return &Checking<Wrapper, Arguments...>::checks;
    else
        return nullptr;
}

// This is compiled for each wrapper, and there are hundreds of them. So it holds only what tells one wrapper
// from another; the path itself is in run_call().
template <auto Wrapper, class Signature, class Indices> struct Caller;

template <auto Wrapper, class Result, class... Arguments, std::size_t... At>
struct Caller<Wrapper, Result (*)(Arguments...), std::index_sequence<At...>> {
    static int invoke([[maybe_unused]] std::byte *converters, [[maybe_unused]] void *result) {
        [[maybe_unused]] constexpr auto &placed = placed_parameters<Held<Arguments>...>;
        if constexpr (is_status<Result>) {
            return status_number(Wrapper(value_at<Arguments>(converters + placed[At].offset)...));
        } else if constexpr (std::is_void_v<Result>) {
            Wrapper(value_at<Arguments>(converters + placed[At].offset)...);
            return 0;
        } else {
            return Finish<Result>::status_of(
                *new (result) Result(Wrapper(value_at<Arguments>(converters + placed[At].offset)...)));
        }
    }

    static PyObject *call(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *keywords) {
        if constexpr (is_hot<Wrapper>) {
            PyObject *slots[sizeof...(Arguments) + 1];
            HotSteps<&invoke, checks_of<Wrapper, Arguments...>(), Result, std::index_sequence<At...>,
                     Held<Arguments>...>
                steps;
            return follow_path(self, args, nargs, keywords, record<Wrapper>,
                               {sizeof...(Arguments), answer<Result>.outputs}, slots, steps);
        } else {
            return run_call(self, args, nargs, keywords, record<Wrapper>, parameters<Held<Arguments>...>,
                            answer<Result>, &invoke, checks_of<Wrapper, Arguments...>());
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
