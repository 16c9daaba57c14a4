// What the checker has found in a launch: each fault of a line of source once, with how often it occurred.
#pragma once

#include "ptx/read/sources.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace pygpu::host::ptx::check {

// What is wrong, what the instruction does (bits of before_access), and where; where the other access is.
struct Finding {
    std::string_view title;
    std::uint32_t kind = 0;
    SourceLine at{}, other{};
    auto operator<=>(const Finding &) const = default;
};

class Reports {
public:
    // A report's rows: a name and a text each.
    using Rows = std::vector<std::pair<const char *, std::string>>;

    // Whether a finding is new. A known one is counted.
    bool is_new(const Finding &finding);
    void add(const Finding &finding, Rows rows);
    std::size_t count();
    // All reports as texts. The last text counts the faults that had no room.
    std::vector<std::string> texts();

private:
    struct Report {
        std::string_view title;
        Rows rows;
        std::uint64_t times = 1;
    };

    std::mutex mutex_;
    std::vector<Report> all_;
    std::map<Finding, std::size_t> known_; // where in all_; past its end: no room
    std::uint64_t more_ = 0;
};

} // namespace pygpu::host::ptx::check
