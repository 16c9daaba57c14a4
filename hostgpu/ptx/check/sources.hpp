// The lines of source that instructions come from: the .loc directives of a program's PTX.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pygpu::host::ptx {

class Loaded;
struct Function;
struct Instr;

namespace check {

// A line of source, and the line that its function was inlined at (0: it wasn't). Without .loc: file 0, and a
// line of PTX.
struct Spot {
    unsigned file = 0, line = 0, outer_file = 0, outer_line = 0;
    auto operator<=>(const Spot &) const = default;
};

class Sources {
public:
    explicit Sources(std::string_view text);

    // `function_line`: where the function is declared. A .loc before it is of another function.
    Spot spot(unsigned function_line, unsigned line) const;
    std::string name(unsigned file) const;

private:
    std::vector<std::pair<unsigned, Spot>> spots_; // by line of PTX
    std::unordered_map<unsigned, std::string_view> files_;
};

Spot spot_of(const Loaded &loaded, const Function &function, const Instr &at);
// "tile.cu:12, line 40 of its PTX"
std::string place_of(const Loaded &loaded, const Function &function, const Instr &at);

} // namespace check
} // namespace pygpu::host::ptx
