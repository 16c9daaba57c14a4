// What the checker has found in a launch: each fault of a place once, with how often it was met.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace pygpu::host::ptx {

class Loaded;
struct Function;
struct Instr;

namespace check {

class Reports {
public:
    // A report's rows: a name and a text each.
    using Rows = std::vector<std::pair<const char *, std::string>>;

    // Whether this kind of fault is new for the two places. A known one is counted.
    bool is_new(const char *title, const Instr *at, const Instr *other);
    void add(const char *title, const Instr *at, const Instr *other, Rows rows);
    // All reports as texts. The last text counts the faults that had no room.
    std::vector<std::string> texts();

private:
    using Key = std::tuple<const char *, const Instr *, const Instr *>;
    struct Report {
        std::string title;
        Rows rows;
        std::uint64_t times = 1;
    };

    std::mutex mutex_;
    std::vector<Report> all_;
    std::map<Key, std::size_t> known_; // where in all_; behind its end: no room
    std::uint64_t more_ = 0;
};

// "tile.cu:12, line 40 of the PTX": by the .loc before an instruction, where there is one.
std::string place_of(const Loaded &loaded, const Function &function, const Instr &at);

} // namespace check
} // namespace pygpu::host::ptx
