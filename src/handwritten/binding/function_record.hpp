// What the Python side knows about a bound function: one FunctionRecord each, written by the generator.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace pygpu {

struct Api;

// Whether the GIL is released around the C call. Only functions that touch nothing but state of
// their thread, or constants, keep it.
enum class Gil : std::uint8_t { release, keep };

// What the raising form makes of a status: raise, True or False for "ready" (ErrorNotReady is data), hand it
// back (the last error is the function's value), or hand back what is one of several successes.
enum class Checked : std::uint8_t { raise, ready, status, success };

// Numbers for a record to point at.
template <long long... each> inline constexpr std::array<long long, sizeof...(each)> values = {each...};

// There are hundreds, so they hold as few pointers as they can: each is relocated when the module is loaded.
struct FunctionRecord {
    Api &api;
    const char *name;
    const char *doc;                        // opens with the signature, which names the parameters
    std::span<const long long> fallbacks{}; // of the last parameters, for those that are left out
    std::uint8_t positional = 255;          // the rest are keyword-only
    Gil gil = Gil::release;
    Checked checked = Checked::raise;
};

// Filled in beside each wrapper by the generated files.
template <auto Wrapper> extern const FunctionRecord record;

} // namespace pygpu
