// What is asked of several arguments of a call together.
#pragma once

#include "convert/buffer_size.hpp"

#include <cstddef>

namespace pygpu {

// Two converters that are only understood together: the one at One is settled by the one at Other.
template <std::size_t One, std::size_t Other> struct CrossCheck {};
template <auto Wrapper> struct CrossChecks;
template <auto Wrapper>
concept HasCrossChecks = requires { CrossChecks<Wrapper>::how; };

// A function from the wrapper's arguments to its needs, where it has any; written by the generator.
template <auto Wrapper> struct SizeRequirements;
template <auto Wrapper>
concept HasSizeRequirements =
    requires { sizeof(SizeRequirements<Wrapper>); }; // `of` is a template, which no expression can name

} // namespace pygpu
