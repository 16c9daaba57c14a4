// One public name of an API that is not a function: an enumerator, a macro or a class.
#pragma once

#include "base/text_table.hpp"

#include <cstddef>

namespace pygpu {

// The names of an API are sorted by name. Rows with the same name are sorted by release.
struct Name {
    enum NameKind : unsigned char {
        error,       // `index`: the enum of the status; `value`: a code
        enumerator,  // `index`: the enum; `value`
        enum_type,   // `index`: the enum
        constant,    // `value`
        large,       // a constant of 64 bits without a sign; `value`: these bits
        handle,      // `index`: the handle class; `value`: a typed constant such as cudaStreamPerThread
        handle_type, // `index`: the handle class
        struct_type  // `index`: the struct class
    };
    struct Literal {
        const char *name;
        NameKind kind;
        unsigned short index;
        long long value;
        unsigned short order = 0; // of an enumerator within its enum
        short since = 0;          // the releases with these values: 1209 is 12.9
        short until = 9999;
    };

    TableText name;
    NameKind kind{};
    unsigned short index{};
    long long value{};
    unsigned short order{};
    short since{};
    short until{};

    constexpr void read(const Literal &row, auto text) {
        text(name, offsetof(Name, name), row.name);
        kind = row.kind;
        index = row.index;
        value = row.value;
        order = row.order;
        since = row.since;
        until = row.until;
    }
};

} // namespace pygpu
