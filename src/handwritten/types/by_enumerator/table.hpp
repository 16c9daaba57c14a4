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
    Field field;           // at offset 0; without a type the enumerator stands for no value
    bool by_value = false; // the value stands in the pointer itself
    bool array = false;    // as many as the capacity holds
    bool written = false;  // C also writes it back
    long long size_of = 0; // for a buffer, the enumerator whose value is its size; 0 is none
    int since = 0;         // the releases that give it this number, where others give another
    int until = 9999;
};

// One case for each enumerator, sorted by value. Written by the generator.
struct TypedTable {
    const StructTables &tables; // of the API: what `field` refers to; it may have no struct at all
    int whole;                  // the union that all values are members of, -1 where there is none
    std::span<const TypedCase> cases;

    // Null for an enumerator that is not known, or that stands for no value.
    const TypedCase *find(long long enumerator) const;
    // The bytes of the largest value: those of the union where there is one.
    std::size_t most_bytes() const;
};

} // namespace pygpu
