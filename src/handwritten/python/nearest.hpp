// Which of many names somebody may have meant by one that isn't there.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pygpu {

// Is shown the names one by one, and remembers the one that lies nearest: the fewest letters that are wrong,
// missing, too many or swapped with their neighbour, and then the fewest in the wrong case. More wrong
// letters than about one in six are another name.
class Nearest {
public:
    explicit Nearest(std::string_view wanted);

    void consider(std::string_view name);
    // Empty where no name was near.
    std::string_view name() const { return best_; }
    // ". Did you mean 'name'?", the end of a message; empty where no name was near.
    std::string hint() const;

private:
    std::string_view wanted_;
    std::string_view best_{};
    std::size_t least_; // what a name must stay below
};

} // namespace pygpu
