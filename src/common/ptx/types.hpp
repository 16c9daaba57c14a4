// The types of PTX and their names (PTX ISA, "Fundamental Types", "Packed Data Types").
#pragma once

#include <cstdint>
#include <string_view>

namespace pygpu::ptx {

struct Type {
    enum ScalarKind : char { none, untyped, natural, integer, real, brain, tensor, predicate };
    ScalarKind kind = none;
    std::uint8_t bits = 0;  // of one element
    std::uint8_t lanes = 1; // 2 of a packed type

    unsigned width() const { return static_cast<unsigned>(bits) * lanes; }
    bool is_signed() const { return kind == integer; }
    bool is_float() const { return kind >= real && kind <= tensor; }
    explicit operator bool() const { return kind != none; }
    bool operator==(const Type &) const = default;
};

// "u32" or "f16x2"; no kind for what is no type.
inline Type type_named(std::string_view name) {
    struct Named {
        std::string_view name;
        Type type;
    };
    static constexpr Named all[] = {
        {"u32", {Type::natural, 32}},      {"s32", {Type::integer, 32}},      {"b32", {Type::untyped, 32}},
        {"u64", {Type::natural, 64}},      {"s64", {Type::integer, 64}},      {"b64", {Type::untyped, 64}},
        {"f32", {Type::real, 32}},         {"f64", {Type::real, 64}},         {"pred", {Type::predicate, 1}},
        {"u16", {Type::natural, 16}},      {"s16", {Type::integer, 16}},      {"b16", {Type::untyped, 16}},
        {"u8", {Type::natural, 8}},        {"s8", {Type::integer, 8}},        {"b8", {Type::untyped, 8}},
        {"f16", {Type::real, 16}},         {"f16x2", {Type::real, 16, 2}},    {"bf16", {Type::brain, 16}},
        {"bf16x2", {Type::brain, 16, 2}},  {"tf32", {Type::tensor, 32}},      {"b128", {Type::untyped, 128}},
        {"u16x2", {Type::natural, 16, 2}}, {"s16x2", {Type::integer, 16, 2}}, {"f32x2", {Type::real, 32, 2}},
    };
    for (const Named &one : all) {
        if (one.name == name) return one.type;
    }
    return {};
}

} // namespace pygpu::ptx
