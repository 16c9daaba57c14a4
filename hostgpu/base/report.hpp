// Reports: lines on stderr, or for a listener of the user's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace pygpu::host {

// Writes a text, whatever the mode.
void report(const std::string &text) noexcept;

// Writes a text once in a process, in strict mode or not.
void report_once(const std::string &text) noexcept;

// "0x7f00": an address as reports spell it.
std::string hex(std::uintptr_t value);
inline std::string hex(const void *pointer) { return hex(reinterpret_cast<std::uintptr_t>(pointer)); }

// Where the caller is, in the locator's words; empty without one.
std::string place_of_caller();

// A function of the caller's that writes where it is ("file.py:12 in f") into a buffer; null takes it away.
using Locator = void (*)(char *text, std::size_t size);
void set_locator(Locator locator);

// A function that gets each report's text instead of stderr; null takes it away.
using Listener = void (*)(const char *text);
void set_listener(Listener listener);

} // namespace pygpu::host
