// The attribute by which PyGPU's classes for one dtype say it, as a typestr of numpy's.
#pragma once

namespace pygpu {

inline constexpr const char *typestr_name = "_typestr_";

} // namespace pygpu
