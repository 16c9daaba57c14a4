// The distance between two names.
#include "base/nearest.hpp"

#include <algorithm>
#include <array>

namespace pygpu {
namespace {

constexpr std::size_t letter = 256;  // cost of a wrong letter; a letter in the wrong case costs 1
constexpr std::size_t longest = 120; // C's names are shorter

char lower(char one) { return 'A' <= one && one <= 'Z' ? static_cast<char>(one - 'A' + 'a') : one; }

std::size_t cost(char one, char other) {
    if (one == other) return 0;
    return lower(one) == lower(other) ? 1 : letter;
}

// The optimal string alignment distance, row by row.
std::size_t misspelling(std::string_view one, std::string_view other) {
    std::array<std::size_t, longest + 1> before_last{}, last{}, current{};
    for (std::size_t at = 0; at <= other.size(); ++at) last[at] = at * letter;
    for (std::size_t i = 1; i <= one.size(); ++i) {
        current[0] = i * letter;
        for (std::size_t j = 1; j <= other.size(); ++j) {
            std::size_t least = last[j - 1] + cost(one[i - 1], other[j - 1]);
            least = std::min({least, last[j] + letter, current[j - 1] + letter});
            if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1])
                least = std::min(least, before_last[j - 2] + letter);
            current[j] = least;
        }
        before_last = last;
        last = current;
    }
    return last[other.size()];
}

// How many wrong letters a name of this length may have: none in one or two, 1 in a short word, 4 at most.
std::size_t allowed(std::size_t length) {
    return length ? std::min({1 + length / 6, (length - 1) / 2, std::size_t{4}}) : 0;
}

} // namespace

Nearest::Nearest(std::string_view wanted)
    : wanted_(wanted), least_(wanted.size() > longest ? 0 : (allowed(wanted.size()) + 1) * letter) {}

void Nearest::consider(std::string_view name) {
    const std::size_t longer = std::max(name.size(), wanted_.size());
    const std::size_t shorter = std::min(name.size(), wanted_.size());
    if ((longer - shorter) * letter >= least_ || name.size() > longest) return;
    if (const std::size_t distance = misspelling(wanted_, name); distance < least_) {
        least_ = distance;
        best_ = name;
    }
}

std::string Nearest::hint() const {
    return best_.empty() ? "" : ". Did you mean '" + std::string(best_) + "'?";
}

} // namespace pygpu
