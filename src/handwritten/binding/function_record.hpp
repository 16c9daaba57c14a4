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

// What the raising form does with a status. `raise`: it raises a failure. `ready`: it returns True or False,
// because ErrorNotReady is an answer. `status`: it returns every status, because the last error is the
// function's value. `success`: it returns a success, because there are several.
enum class Checked : std::uint8_t { raise, ready, status, success };

// Numbers for a record to point at.
template <long long... each> inline constexpr std::array<long long, sizeof...(each)> values = {each...};

// There are hundreds of records, so they hold as few pointers as possible: the loader relocates each pointer
// when it loads the module.
struct FunctionRecord {
    Api &api;
    const char *name;
    const char *doc;                        // opens with the signature, which names the parameters
    std::span<const long long> fallbacks{}; // the defaults of the last parameters
    std::uint8_t positional = 255;          // the rest are keyword-only
    Gil gil = Gil::release;
    Checked checked = Checked::raise;
};

// Filled in beside each wrapper by the generated files.
template <auto Wrapper> extern const FunctionRecord record;

} // namespace pygpu
