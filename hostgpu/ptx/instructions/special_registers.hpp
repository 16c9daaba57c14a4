// Reading special registers.
#pragma once

#include "ptx/read/decoder.hpp"

namespace pygpu::host::ptx {

// Emits a special register's value into a place; throws Unknown for what is none.
void emit_special(Decoder &decoder, std::string_view name, std::uint32_t to, unsigned bits);

} // namespace pygpu::host::ptx
