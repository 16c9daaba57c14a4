// What is known of a struct's fields: one table for all its layouts, written by the generator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace pygpu {

// How a number lies in memory.
enum class Scalar : std::uint8_t {
    boolean,
    i8,
    u8,
    i16,
    u16,
    i32,
    u32,
    i64,
    u64,
    f32,
    f64,
    character = std::is_signed_v<char> ? i8 : u8 // C's char has the sign that the processor's ABI gives it
};

// What Python sees of a field.
enum class Role : std::uint8_t {
    plain,       // a number
    enumeration, // a member of the enum `index`
    handle,      // an object of the handle class `index`
    pointer,     // an int
    nested,      // the struct `index`, in its layout `layout`
    bytes,       // char[N]
    text,        // char[N], str up to its NUL
    callable,    // a C function, or a callable; its user data lies `other` bytes from here
    user_data,   // the user data of the callable `other` bytes from here
    // Of a pointer's item:
    arguments, // the arguments of a launch, one by one
    packed,    // the same in one buffer, behind a list that ends with the number `item_index`
    code,      // a kernel or function
    freed      // memory that C frees
};

// `counted_by` of a field that no other field counts.
inline constexpr std::int16_t uncounted = INT16_MIN;

// Everything about a field but its name and type.
struct FieldFacts {
    std::uint64_t default_value = 0; // its bits, of which the field takes as many as it has
    std::uint32_t offset = 0;        // in bytes; of a bit-field, that of its unit
    std::uint32_t size = 0;          // in bytes; of one element
    std::uint32_t count = 0;         // elements of an array; 0 if it is no array
    std::uint16_t index = 0;
    std::uint8_t layout = 0;
    std::uint8_t bit = 0;  // a bit-field's first bit in its unit
    std::uint8_t bits = 0; // its width; 0 if it is no bit-field
    Scalar scalar = Scalar::u64;
    Role role = Role::plain;
    bool boolean = false;   // a number that C only compares with zero
    bool positional = true; // may be set without its name; in a union that is only the first member
    // For a pointer that a sequence may fill. `counted_by` is the index of the field with the count; in a
    // FieldRow it is the distance to that field. The `item_…` members describe an item. A launch's arguments
    // need no count.
    std::int16_t counted_by = uncounted;
    Role item_role = Role::plain;
    std::uint16_t item_index = 0;
    std::uint8_t item_size = 0;
    std::int8_t other = 0;
    bool lent = false; // only C writes the pointer to the array
};

struct Field : FieldFacts {
    const char *name = nullptr;
    const char *type = nullptr; // as C spells it
};

class StructLengths;

// The bytes that a field takes.
constexpr std::size_t extent(const Field &field) {
    return std::size_t{field.size} * (field.count ? field.count : 1);
}

// A field of the layouts in the releases from `since` to `until`, both included: 1209 is 12.9. It holds no
// pointers, because the loader would have to relocate them.
struct FieldRow {
    FieldFacts facts;
    std::uint16_t since = 0;
    std::uint16_t until = 9999;
    constexpr bool in(int release) const { return since <= release && release <= until; }
};

// The fields of all layouts of a struct. `texts` has the name and the type of each row, one behind the other.
struct FieldTable {
    std::span<const FieldRow> rows;
    const char *texts;
};

// The fields in the releases from `since` to `until`, both included: 1209 is 12.9.
struct Layout {
    std::size_t size;
    std::span<const Field> fields; // taken from the struct's table on the first use
    int since = 0;
    int until = 9999;
    // Says how much memory C touches behind the pointers (lengths.hpp); null if that is not known for any
    // pointer.
    void (*lengths)(StructLengths &of) = nullptr;
    // For a struct that has only numbers of one kind (dim3, cudaExtent): that kind. Boolean for other
    // structs.
    Scalar row = Scalar::boolean;
};

} // namespace pygpu
