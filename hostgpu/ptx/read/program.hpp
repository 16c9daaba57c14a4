// PTX as it is written: functions with their registers, variables and instructions. Immutable once it is
// read.
#pragma once

#include "common/ptx/types.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pygpu::host::ptx {

using namespace pygpu::ptx;

enum class Space : std::uint8_t { generic, param, global, constant, shared, local };

struct Variable {
    std::string_view name;
    Space space;
    std::size_t size; // bytes
    std::size_t alignment;
    bool dynamic;          // shared memory whose size the launch sets
    std::string_view type; // of a single value: "u64"; "b8" of anything else
};

// A place in a global variable that holds the address of another one or of a function, or bytes of it.
struct AddressIn {
    std::size_t at;
    std::string symbol;
    std::uint64_t offset;
    std::size_t size; // bytes
    unsigned shift;   // the lowest of the bits that it holds
};

struct Global {
    std::string name;
    std::size_t size;
    std::string initial; // what it starts with; the rest is zeros
    bool managed = false;
    bool constant = false; // in the constant space
    std::size_t alignment = 1;
    std::vector<AddressIn> addresses{};
};

struct Operand {
    enum OperandKind : std::uint8_t {
        none,
        sink,      // _
        reg,       // index
        number,    // bits: an integer
        single,    // bits of a float
        real,      // bits of a double
        special,   // name, such as %tid.x
        variable,  // index: one of the function's
        symbol,    // name: a variable or function of the module
        label,     // name, then index: a statement
        targets,   // index: one of the function's lists of labels
        address,   // parts[0] + offset, or offset alone
        texel,     // [parts[0], parts[1]]: a texture or a surface, and where in it
        vector,    // parts
        list,      // parts in parentheses
        unreadable // of an instruction that isn't known
    };
    OperandKind kind = none;
    bool negated = false; // !p or -r
    bool second = false;  // after a bar: p of d|p
    std::uint32_t index = 0;
    std::uint32_t scope = 0; // in which a label is looked up
    std::uint64_t bits = 0;
    std::int64_t offset = 0;
    std::string_view name{};
    std::string_view part{}; // of a register: "b0" of %r1.b0
    std::vector<Operand> parts{};
};

constexpr std::uint32_t no_register = ~0u;

struct Statement {
    std::string_view op; // the whole opcode: "ld.global.u32"
    std::uint32_t line;
    std::uint32_t guard = no_register;
    bool negated = false;               // @!p
    std::uint32_t first = 0, count = 0; // of the function's operands
};

struct Formal {
    std::string_view name;
    bool in_register;
    std::uint32_t index; // of a register, or of a variable in the param space
};

struct Function {
    std::string_view name;
    bool entry = false;
    bool defined = false;
    std::uint32_t line = 0;
    std::vector<Formal> parameters, results;
    std::vector<Type> registers;
    std::vector<Variable> variables;
    std::vector<Statement> statements;
    std::vector<Operand> operands;
    std::vector<std::vector<Operand>> targets; // of .branchtargets
    unsigned threads[3] = {0, 0, 0};           // .reqntid
    unsigned most_threads = 0;                 // .maxntid
    unsigned cluster[3] = {0, 0, 0};           // .reqnctapercluster
    unsigned most_in_cluster = 0;              // .maxclusterrank
    bool in_clusters = false;                  // .explicitcluster
};

struct Program {
    std::string text;               // all names are parts of it,
    std::deque<std::string> joined; // or were written with blanks between their parts
    std::vector<std::unique_ptr<Function>> functions;
    std::unordered_map<std::string_view, Function *> by_name;
    std::vector<Variable> shared;                // variables of the module in shared memory
    std::vector<Global> globals;                 // and in device memory
    std::vector<std::string> texture_references; // their names
    unsigned version = 0;                        // 83 of PTX 8.3
    unsigned target = 0;                         // 80 of sm_80

    Program() = default;
    Program(const Program &) = delete;
    Program &operator=(const Program &) = delete;
};

// Throws Problem.
std::shared_ptr<const Program> parse(std::string text);

} // namespace pygpu::host::ptx
