// The log of calls that failed (CUDA Driver API, "Error Log Management Functions"). The oldest messages make
// place for new ones.
#pragma once

#include "base/status.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace pygpu::host {

enum class LogLevel : int { error, warning };

// Adds a message, and gives it to the registered functions. They run on this thread; what fails in them isn't
// logged.
void log(LogLevel level, const std::string &text) noexcept;

using LogListener = std::function<void(LogLevel level, char *message, std::size_t length)>;
void *add_log_listener(LogListener listener);
bool remove_log_listener(const void *handle);

// The number of the next message.
unsigned next_message();

// The messages from `first` on, a line each; a line says where older ones are gone.
std::string messages_from(unsigned first);
// The same in at most `size` bytes, the NUL behind it included: without the oldest, if there is no space for
// all. False if not even the newest has space.
bool messages_within(unsigned first, std::size_t size, std::string &text);

} // namespace pygpu::host
