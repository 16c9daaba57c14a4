// Traits of wrappers: checks between arguments, and required buffer sizes.
#pragma once

#include "convert/buffer_size.hpp"

#include <cstddef>

namespace pygpu {

// Whether programs call a wrapper so often that its path is compiled for it alone.
template <auto Wrapper> inline constexpr bool is_hot = false;

// Two arguments that can only be understood together: the converter at One checks itself with the help of the
// converter at Other.
template <std::size_t One, std::size_t Other> struct CrossCheck {};
template <class... Checks> struct CrossCheckList {};
template <auto Wrapper> struct CrossChecks;
template <auto Wrapper>
concept HasCrossChecks = requires { typename CrossChecks<Wrapper>::How; };

// Whether a wrapper's buffers have the sizes that its other arguments require; written by the generator where
// there are any. `Of` names the arguments that decide the sizes; met() gets their values.
template <std::size_t...> struct Arguments {};
template <auto Wrapper> struct SizeRequirements;
template <auto Wrapper>
concept HasSizeRequirements = requires { typename SizeRequirements<Wrapper>::Of; };

} // namespace pygpu
