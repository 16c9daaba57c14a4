// Traits of wrappers: checks between arguments, and required buffer sizes.
#pragma once

#include "convert/buffer_size.hpp"

#include <cstddef>

namespace pygpu {

// Two arguments that can only be understood together: the converter at One checks itself with the help of the
// converter at Other.
template <std::size_t One, std::size_t Other> struct CrossCheck {};
template <class... Checks> struct CrossCheckList {};
template <auto Wrapper> struct CrossChecks;
template <auto Wrapper>
concept HasCrossChecks = requires { typename CrossChecks<Wrapper>::How; };

// Gives the buffer sizes that a wrapper's arguments require, where there are any; written by the generator.
template <auto Wrapper> struct SizeRequirements;
template <auto Wrapper>
concept HasSizeRequirements =
    requires { sizeof(SizeRequirements<Wrapper>); }; // `of` is a template, which no expression can name

} // namespace pygpu
