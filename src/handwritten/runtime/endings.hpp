// The functions that end all that lives on a device, or code, counted wherever they are called from.
#pragma once

namespace pygpu {

struct Api;

// What serves a symbol instead of the library's function: one of ours that calls it and then counts, for the
// symbols that the manifest lists; the function itself for all others.
void *counting_endings(const Api &api, const char *name, void *function);

} // namespace pygpu
