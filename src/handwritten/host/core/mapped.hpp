// Which addresses are the process's.
#pragma once

#include <cstddef>
#include <string_view>

namespace pygpu::host {

enum class Rights { none, read, write };

// What the process may do with all pages of the range.
Rights rights_to(const void *pointer, std::size_t size);

// All that can be read from an address on.
std::string_view readable_at(const void *pointer);

} // namespace pygpu::host
