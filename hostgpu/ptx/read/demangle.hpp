// Names as the source has them.
#pragma once

#include <string>
#include <string_view>

namespace pygpu::host::ptx {

// "k(int)::tile" for "_ZZ1kiE4tile"; a name that isn't mangled stays.
std::string demangled(std::string_view name);

} // namespace pygpu::host::ptx
