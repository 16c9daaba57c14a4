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

// What a docstring says besides a record's texts. `queues`: the call only queues work on memory. The errors
// are those that arguments can raise, besides TypeError.
struct Fact {
    enum : std::uint8_t {
        queues = 1,
        deprecated = 2,
        overflow_error = 4,
        value_error = 8,
        memory_error = 16
    };
};

// The texts of a record that has none: all of them are empty, however many are read.
inline constexpr char no_texts[256] = {};

// There are hundreds of records, so they hold as few pointers as possible: the loader relocates each pointer
// when it loads the module.
struct FunctionRecord {
    Api &api;
    const char *name;
    // Each text ends with a NUL, and each list with an empty text: the list of the parameters' names, that of
    // the results' names, the defaults of the last parameters as Python shows them, what the function does,
    // what it returns where C gives no status, C's prototype with a hole for the name, the releases, the
    // errors that the header lists; then for each parameter and each result its description: a list of
    // names of the API's phrases, each followed by the texts for its holes.
    const char *texts;
    std::span<const long long> fallbacks{}; // the defaults of the last parameters
    std::uint8_t positional = 255;          // the rest are keyword-only
    std::uint8_t facts = 0;
    Gil gil = Gil::release;
    Checked checked = Checked::raise;
};

// Filled in beside each wrapper by the generated files.
template <auto Wrapper> extern const FunctionRecord record;

} // namespace pygpu
