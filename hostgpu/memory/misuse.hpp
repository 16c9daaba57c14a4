// Reports of misuse in strict mode: the running call, what is wrong, the pointer, and where its memory came
// from.
#pragma once

#include <cstddef>

namespace pygpu::host {

struct Allocation;

// `memory` is what the pointer lies in, if that is known. Nothing is reported outside of strict mode.
void report_misuse(const char *what, const void *pointer, const Allocation *memory = nullptr) noexcept;

} // namespace pygpu::host
