// Writing down which of the listed releases lie in a range.
#include "runtime/releases_text.hpp"

#include "runtime/api.hpp"

namespace pygpu {

std::string release_text(int release) {
    return std::to_string(release / 100) + "." + std::to_string(release % 100);
}

std::string releases_text(const Api &api, int since, int until) {
    int first = 0, last = 0;
    for (int release : api.releases) {
        if (release < since || release > until) continue;
        if (!first) first = release;
        last = release;
    }
    return first == last ? release_text(first) : release_text(first) + " to " + release_text(last);
}

std::string limits_text(const Api &api, int since, int until) {
    const bool always = since <= api.releases.front() && until >= api.releases.back();
    return always ? "" : " in " + releases_text(api, since, until);
}

} // namespace pygpu
