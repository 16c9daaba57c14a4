// Releases in words.
#pragma once

#include <string>

namespace pygpu {

struct Api;

// "12.9" of 1209.
std::string release_text(int release);

// "12.2 to 12.9": the listed releases from `since` to `until` (1209 is 12.9), both included.
std::string releases_text(const Api &api, int since, int until);

// The same as the end of a sentence about a name (" in 12.2 to 12.9"); empty if all listed releases have it.
std::string limits_text(const Api &api, int since, int until);

} // namespace pygpu
