// Names and texts of codes.
#pragma once

#include "host_apis.hpp"

namespace pygpu::host {

// A table ends with a null name.
struct ErrorText {
    int code;
    const char *name;
    const char *text;
};

// The entry of a code, null for a code that no header has.
inline const ErrorText *find_error(const ErrorText *table, int code) {
    for (; table->name; ++table) {
        if (table->code == code) return table;
    }
    return nullptr;
}

} // namespace pygpu::host
