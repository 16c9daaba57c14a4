// Reports on stderr: misuse in strict mode, leaks.
#pragma once

#include <cstddef>
#include <string>

namespace pygpu::host {

struct Allocation;
struct Story;

// Reports a misuse in strict mode: the running call, what is wrong, the pointer, and where its memory came
// from.
void report_misuse(const char *what, const void *pointer, const Allocation *memory = nullptr) noexcept;

// The story of a piece that is being freed: what it is, who made it, and which call frees it where.
Story story_of(const Allocation &memory);

// Freed memory was written to.
void report_touched(const void *base, std::size_t size, std::size_t offset) noexcept;

// Writes a text once in a process, in strict mode or not.
void report_once(const std::string &text) noexcept;

// Writes a kernel's failure, each time that it happens.
void report_failure(const std::string &text) noexcept;

// Lists what was allocated and not freed; returns how many pieces.
int report_leaks();
std::string leaks_text();

// Notes where memory is made: the stack, and what the locator says.
void trace_here(Allocation &memory);

// A function of the caller's that writes where it is ("file.py:12 in f") into a buffer; null takes it away.
using Locator = void (*)(char *text, std::size_t size);
void set_locator(Locator locator);

// A function that gets each report's text instead of stderr; null takes it away.
using Listener = void (*)(const char *text);
void set_listener(Listener listener);

} // namespace pygpu::host
