// The result of a wrapper in Python's form, and what run_call() knows of a result's type.
#pragma once

#include "binding/function_record.hpp"
#include "binding/mode.hpp"
#include "binding/status_type.hpp"
#include "call/outcome.hpp"
#include "call/plan.hpp"
#include "call/prepare.hpp"
#include "python/reference.hpp"
#include "types/by_enumerator/outputs.hpp"
#include "types/results.hpp"

#include <Python.h>

#include <cstddef>
#include <memory>
#include <type_traits>
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
    static constexpr unsigned short outputs = is_status<Result> ? 0 : no_status;

    static int status_of([[maybe_unused]] const Result &result) {
        if constexpr (is_status<Result>)
            return status_number(result);
        else
            return 0;
    }
    static PyObject *make(const BindingMode &, const FunctionRecord &, const void *result, bool) {
        return to_python(*static_cast<const Result *>(result));
    }
    static void note(trace::Items &items, const void *result) {
        pygpu::note(items, *static_cast<const Result *>(result));
    }
};

// Notes the parts of a result that come before the status.
template <class Result, std::size_t... At>
void note_parts(trace::Items &items, const Result &result, std::index_sequence<At...>) {
    (pygpu::note(items, part<At>(result)), ...);
}

template <class... Each> struct Finish<Outputs<Each...>> {
    static constexpr unsigned short outputs = sizeof...(Each) - 1;
    static_assert(outputs <= most_outputs);

    static int status_of(const Outputs<Each...> &result) { return status_number(part<outputs>(result)); }

    static PyObject *make(const BindingMode &mode, const FunctionRecord &record, const void *result,
                          bool succeeded) {
        return make(mode, record, *static_cast<const Outputs<Each...> *>(result), succeeded,
                    std::make_index_sequence<outputs>{});
    }
    static void note(trace::Items &items, const void *result) {
        note_parts(items, *static_cast<const Outputs<Each...> *>(result),
                   std::make_index_sequence<outputs>{});
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
    static constexpr unsigned short outputs = no_status;

    static int status_of(const Values<Each...> &) { return 0; }

    static PyObject *make(const BindingMode &, const FunctionRecord &, const void *result, bool) {
        return make(*static_cast<const Values<Each...> *>(result), std::index_sequence_for<Each...>{});
    }
    static void note(trace::Items &items, const void *result) {
        note_parts(items, *static_cast<const Values<Each...> *>(result), std::index_sequence_for<Each...>{});
    }

private:
    template <std::size_t... At>
    static PyObject *make(const Values<Each...> &result, std::index_sequence<At...>) {
        Reference tuple(PyTuple_New(sizeof...(Each)));
        if (!tuple) return nullptr;
        auto add = [&](std::size_t at, PyObject *value) {
            PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(at), value);
            return value != nullptr;
        };
        return (add(At, to_python(part<At>(result))) && ...) ? tuple.release() : nullptr;
    }
};

template <class Result> constexpr Answer make_answer() {
    if constexpr (std::is_void_v<Result>) {
        return {0,
                1,
                no_status,
                true,
                false,
                [](const BindingMode &, const FunctionRecord &, const void *, bool) {
                    return Py_NewRef(Py_None); },
                nullptr,
                nullptr,
                nullptr};
    } else {
        Answer made{sizeof(Result), alignof(Result),   Finish<Result>::outputs,
                    false,          is_status<Result>, nullptr,
                    nullptr,        nullptr,           nullptr};
        static_assert(alignof(Result) <= converter_alignment);
        if constexpr (!is_status<Result>) {
            made.make = &Finish<Result>::make;
            made.note = &Finish<Result>::note;
        }
        if constexpr (requires(const Result &result) { static_cast<const void *>(part<0>(result)); })
            made.made = [](const void *result) {
                return static_cast<const void *>(part<0>(*static_cast<const Result *>(result)));
            };
        if constexpr (!std::is_trivially_destructible_v<Result>)
            made.end = [](void *result) { std::destroy_at(static_cast<Result *>(result)); };
        return made;
    }
}

// One for each type that wrappers return.
template <class Result> inline constexpr Answer answer = make_answer<Result>();

} // namespace pygpu
