// What a trace knows of a call that PyGPU makes for itself.
#pragma once

namespace pygpu::trace {

// The name lacks its prefix, which is the API's name, and so do types: both have '@' in its place. The
// parameters are names, each with its type, and an empty text. The type "out" is that of a result.
struct OwnCall {
    const char *api, *name, *parameters;
};

} // namespace pygpu::trace
