// What was allocated and not freed.
#pragma once

#include <string>

namespace pygpu::host {

// The list of it, empty where there is nothing.
std::string leaks_text();

// Reports the list; returns whether there was anything.
int report_leaks();

} // namespace pygpu::host
