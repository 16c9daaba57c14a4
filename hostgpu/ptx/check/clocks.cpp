// Vector clocks of a block: by thread within a warp, by warp beyond.
#include "ptx/check/clocks.hpp"

#include <algorithm>
#include <bit>

namespace pygpu::host::ptx::check {
namespace {

constexpr std::uint32_t lanes_of_warp = 32;

void raise(std::uint32_t *to, const std::uint32_t *from, std::size_t count) {
    for (std::size_t at = 0; at < count; ++at) to[at] = std::max(to[at], from[at]);
}

} // namespace

Clocks::Clocks(std::uint32_t threads)
    : width_((threads + lanes_of_warp - 1) / lanes_of_warp * lanes_of_warp), own_(width_, 1), joined_(width_),
      near_(std::size_t{width_} * lanes_of_warp), far_(width_ / lanes_of_warp) {}

void Clocks::restart() {
    std::ranges::fill(own_, 1);
    std::ranges::fill(joined_, 0);
    std::ranges::fill(near_, 0);
    for (Counts &one : far_) one.clear();
}

bool Clocks::ordered(std::uint32_t thread, std::uint32_t other, std::uint32_t at) const {
    if (thread == other || at <= joined_[other]) return true;
    const std::uint32_t warp = thread / lanes_of_warp;
    if (warp == other / lanes_of_warp)
        return at <= near_[std::size_t{thread} * lanes_of_warp + other % lanes_of_warp];
    return !far_[warp].empty() && at <= far_[warp][other];
}

void Clocks::join() {
    joined_ = own_;
    for (std::uint32_t &one : own_) ++one;
}

void Clocks::release(std::uint32_t warp, std::uint32_t lanes, Counts &to) {
    to.resize(width_);
    if (!far_[warp].empty()) raise(to.data(), far_[warp].data(), width_);
    for (; lanes; lanes &= lanes - 1) {
        const std::uint32_t thread =
            warp * lanes_of_warp + static_cast<std::uint32_t>(std::countr_zero(lanes));
        raise(&to[std::size_t{warp} * lanes_of_warp], &near_[std::size_t{thread} * lanes_of_warp],
              lanes_of_warp);
        to[thread] = std::max(to[thread], own_[thread]++);
    }
}

void Clocks::acquire(std::uint32_t warp, std::uint32_t lanes, const Counts &from) {
    if (from.empty()) return;
    far_[warp].resize(width_);
    raise(far_[warp].data(), from.data(), width_);
    for (; lanes; lanes &= lanes - 1) {
        const std::uint32_t thread =
            warp * lanes_of_warp + static_cast<std::uint32_t>(std::countr_zero(lanes));
        raise(&near_[std::size_t{thread} * lanes_of_warp], &from[std::size_t{warp} * lanes_of_warp],
              lanes_of_warp);
    }
}

} // namespace pygpu::host::ptx::check
