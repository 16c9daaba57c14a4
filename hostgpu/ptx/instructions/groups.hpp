// The families of instructions, a file each.
#pragma once

#include "ptx/read/decoder.hpp"

#include <vector>

namespace pygpu::host::ptx {

// The first word of an opcode, and what decodes it.
struct Decoding {
    std::string_view base;
    Decode decode;
};
std::vector<Decoding> integer_group();
std::vector<Decoding> bits_group();
std::vector<Decoding> float_group();
std::vector<Decoding> math_group();
std::vector<Decoding> half_group(); // used by the float group
std::vector<Decoding> compare_group();
std::vector<Decoding> convert_group();
std::vector<Decoding> move_group();
std::vector<Decoding> memory_group();
std::vector<Decoding> copy_group();
std::vector<Decoding> stack_group();
std::vector<Decoding> atomic_group();
std::vector<Decoding> control_group();
std::vector<Decoding> barrier_group();
std::vector<Decoding> warp_group();
std::vector<Decoding> mbarrier_group();
std::vector<Decoding> matrix_group();
std::vector<Decoding> product_group();
std::vector<Decoding> texture_group();
std::vector<Decoding> surface_group();
std::vector<Decoding> tensor_group();
std::vector<Decoding> warpgroup_group();
std::vector<Decoding> video_group();

// What several families use: the type of 32 bits that may be read as any number, and a handler that goes on.
inline constexpr Type word{Type::natural, 32};
inline const Instr *nothing(const Instr *i, Warp &) { return i + 1; }

} // namespace pygpu::host::ptx
