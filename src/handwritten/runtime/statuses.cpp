// Which statuses mean success.
#include "runtime/statuses.hpp"

#include <algorithm>

namespace pygpu {

bool Statuses::is_other_success(int status) const {
    return std::ranges::find(successes, status) != successes.end();
}

} // namespace pygpu
