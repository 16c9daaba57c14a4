// The profiles, compiled in from a file for each card.
#include "base/profile.hpp"

#include <string>

namespace pygpu::host {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

constexpr Profile plain{.key = ""};

constexpr Profile profiles[] = {
#include "base/profiles/a100.inc"
#include "base/profiles/gb200.inc"
#include "base/profiles/h100.inc"
#include "base/profiles/h200.inc"
#include "base/profiles/rtx4070-laptop.inc"
};

} // namespace

const Profile *find_profile(std::string_view key) {
    for (const Profile &one : profiles) {
        if (key == one.key) return &one;
    }
    return nullptr;
}

const Profile &plain_profile() { return plain; }

const char *profile_keys() {
    static const std::string keys = [] {
        std::string all;
        for (const Profile &one : profiles) all += (all.empty() ? "" : ", ") + std::string(one.key);
        return all;
    }();
    return keys.c_str();
}

} // namespace pygpu::host
