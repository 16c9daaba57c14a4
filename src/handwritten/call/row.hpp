// What the Python side knows about a bound function: one Row each, written by the generator.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace pygpu {

struct Api;

// A parameter of the Python signature. An optional one takes `fallback` when it is left out.
struct Parameter {
    const char *name = nullptr;
    bool optional = false;
    long long fallback = 0;

    constexpr Parameter() = default;
    constexpr Parameter(const char *parameter) : name(parameter) {}
    constexpr Parameter(const char *parameter, long long value)
        : name(parameter), optional(true), fallback(value) {}
};

// Whether the GIL is given away around the C call. Only functions that touch nothing but state of
// their thread, or constants, keep it.
enum class Gil : std::uint8_t { release, keep };

// What the raising form makes of a status: raise, True or False for "ready" (ErrorNotReady is data), or
// hand it back (the last error is the function's value).
enum class Checked : std::uint8_t { raise, ready, status };

inline constexpr std::size_t most_parameters = 12;

struct Row {
    Api &api;
    const char *name;
    const char *doc;
    std::array<Parameter, most_parameters> parameters{};
    std::size_t positional = most_parameters; // the rest are keyword-only
    Gil gil = Gil::release;
    Checked checked = Checked::raise;

    constexpr std::size_t count() const {
        std::size_t used = 0;
        while (used < parameters.size() && parameters[used].name) ++used;
        return used;
    }
};

// Filled in beside each wrapper by the generated files.
template <auto Wrapper> extern const Row row;

} // namespace pygpu
