// Linking PTX with PTX: several texts become one.
#pragma once

#include "common/ptx/lexer.hpp"

#include <span>
#include <string>

namespace pygpu::host {

// A text of PTX, and what messages call it.
struct PtxPart {
    std::string text;
    std::string name;
};

// One text with the functions and variables of all. What only its own text knows gets another name where two
// texts use one. A weak definition gives way to a strong one, or to the first. Throws ptx::Problem, with the
// names of both parts, where two define the same. What none defines stays external; it is noticed when the
// text is loaded.
std::string link_ptx(std::span<const PtxPart> parts);

} // namespace pygpu::host
