// Names of types. Python 3.10 doesn't copy the name, and needs it as long as the type exists.
#pragma once

#include <string>

namespace pygpu {

// "module.name", which is never freed.
inline const char *type_name(const std::string &module, const std::string &name) {
    return (new std::string(module + "." + name))->c_str();
}

} // namespace pygpu
