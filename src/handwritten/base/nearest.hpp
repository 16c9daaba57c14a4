// Finding the name that somebody may have meant by a name that doesn't exist.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pygpu {

// Gets the existing names one by one, and remembers the nearest one. The nearest name has the fewest letters
// that are wrong, missing, too many or swapped with their neighbour; then the fewest in the wrong case. A
// name with more than about one wrong letter in six is not considered.
class Nearest {
public:
    explicit Nearest(std::string_view wanted);

    void consider(std::string_view name);
    // Empty if no name was near.
    std::string_view name() const { return best_; }
    // ". Did you mean 'name'?", the end of a message; empty if no name was near.
    std::string hint() const;

private:
    std::string_view wanted_;
    std::string_view best_{};
    std::size_t least_; // the cost that a name must stay below
};

} // namespace pygpu
