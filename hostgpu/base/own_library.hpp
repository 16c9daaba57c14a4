// The functions of this library by name.
#pragma once

namespace pygpu::host {

// The address of an exported function; null for what isn't one.
void *own_symbol(const char *name);

} // namespace pygpu::host
