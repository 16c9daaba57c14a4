// Values whose C type an enumerator decides: which type each enumerator stands for.
#pragma once

#include "types/structs/layout.hpp"
#include "types/structs/struct_class.hpp"

#include <cstddef>
#include <span>

namespace pygpu {

struct TypedCase {
    long long enumerator;
    const char *name;
    Field field;           // at offset 0; if it has no type, the enumerator stands for no value
    bool by_value = false; // the value stands in the pointer itself
    bool array = false;    // an array of as many items as the memory holds
    bool written = false;  // C also writes it back
    long long size_of = 0; // for a buffer: the enumerator of the option with its size; else 0
    int since = 0;         // the releases with this number, if other releases have another one
    int until = 9999;
};

// One case for each enumerator, sorted by value. Written by the generator.
struct TypedTable {
    const StructTables &tables; // of the API; `field` refers to them; there may be no struct at all
    int whole;                  // index of the union that has all values as members; -1 for none
    std::span<const TypedCase> cases;

    // Null for an enumerator that is not known, or that stands for no value.
    const TypedCase *find(long long enumerator) const;
    // No value has more bytes than this. It is at least the size of the union, if there is one.
    std::size_t most_bytes() const;
};

} // namespace pygpu
