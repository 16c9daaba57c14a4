// Which addresses the process may access.
#pragma once

#include <cstddef>
#include <string_view>

namespace pygpu::host {

enum class Rights { none, read, write };

// What the process may do with all pages of the range.
Rights rights_to(const void *pointer, std::size_t size);

// The bytes from an address to the end of the readable pages after it.
std::string_view readable_at(const void *pointer);

} // namespace pygpu::host
