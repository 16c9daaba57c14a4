// The lines of source that instructions come from: the .loc directives of a program's PTX.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pygpu::host::ptx {

// A line of source, and the line that its function was inlined at (0: it wasn't). Without .loc: file 0, and a
// line of PTX.
struct SourceLine {
    unsigned file = 0, line = 0, outer_file = 0, outer_line = 0;
    auto operator<=>(const SourceLine &) const = default;
};

class Sources {
public:
    explicit Sources(std::string_view text);

    // `function_line`: where the function is declared. A .loc before it is of another function.
    SourceLine of(unsigned function_line, unsigned line) const;
    // "tile.cu:12, line 40 of its PTX"
    std::string text(unsigned function_line, unsigned line) const;

private:
    std::string file(unsigned number) const;

    std::vector<std::pair<unsigned, SourceLine>> lines_; // by line of PTX
    std::unordered_map<unsigned, std::string_view> files_;
};

} // namespace pygpu::host::ptx
