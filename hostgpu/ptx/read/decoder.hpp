// Making instructions of statements: the places of operands, and the parts of an opcode.
#pragma once

#include "ptx/read/loaded.hpp"

#include <initializer_list>

namespace pygpu::host::ptx {

// Thrown for an instruction that can't be run here, or that isn't PTX.
struct Unknown {
    std::string what;
};

class Decoder {
public:
    Decoder(const Function &function, const Loaded &loaded, Body &body);
    void run();

    const Function &function;
    const Loaded &loaded;
    Body &body;

    // ---- the statement
    const Statement *statement = nullptr;
    std::string_view base;              // "ld"
    std::vector<std::string_view> mods; // "global", "u32"
    const Operand &operand(std::size_t index) const;
    std::size_t count() const { return statement->count; }
    bool has(std::string_view mod) const;
    // The type among the modifiers, counted from the last one; no kind where there is none.
    Type type(std::size_t behind = 0) const;
    Type needs_type(std::size_t behind = 0) const;
    // Refuses modifiers that are neither types nor listed.
    void allow(std::initializer_list<std::string_view> known) const;
    [[noreturn]] void unknown(std::string what = "") const;

    // ---- operands
    // Where an operand's value of the type lies: in a register, in a constant, or in a copy of the type's
    // width.
    std::uint32_t in(const Operand &from, Type type);
    std::uint32_t in(std::size_t index, Type type) { return in(operand(index), type); }
    // Where a result of the type goes; a wider register gets it extended.
    std::uint32_t out(const Operand &to, Type type);
    std::uint32_t out(std::size_t index, Type type) { return out(operand(index), type); }
    std::uint32_t pred_in(const Operand &from);
    std::uint32_t pred_out(const Operand &to);
    std::uint32_t constant(std::uint64_t value, unsigned bits);
    std::uint32_t temporary(unsigned bits);
    unsigned bits_of(const Operand &reg) const; // of a register's type; 0 of anything else
    RegisterSlot slot(std::uint32_t reg) const { return slots_[reg]; }
    std::uint64_t number(const Operand &from) const; // of a literal integer

    // ---- what is made
    Instr &emit(Handler run);
    Extra &extra();
    void target(std::size_t instr, std::size_t statement) { fixups_.push_back({instr, statement}); }
    std::size_t here() const { return body.code.size(); }
    // In place of a guard on each instruction: a branch around the statement.
    void branch_around();
    // For the checker: an operand is an address; the access by it is followed.
    void count_access() { ++accesses_; }
    void follow_access() { --accesses_; }
    // The instruction looks at its guard itself.
    void own_guard() { around_ = true; }
    // Where a parameter of a call or of a function lies in the frame: bytes for each lane.
    std::uint32_t param_place(const Operand &variable, std::uint32_t &size) const;
    std::uint64_t variable_at(const Variable &variable) const;
    bool is_kernel_parameter(std::uint32_t variable, std::uint32_t &offset) const;
    std::uint32_t narrow(std::uint32_t from, unsigned bits, unsigned to);
    // 64 bits of a sum of 32 bits, which wraps.
    std::uint32_t extended(std::uint32_t from, std::uint64_t offset);

private:
    void layout();
    void one(std::size_t index);
    void split_opcode();
    void extend_results();
    void guard_all(std::size_t fixups);
    void trap(const std::string &what);
    void mark_labels();
    void finish();
    std::uint32_t take(std::size_t bytes);

    struct Fixup {
        std::size_t instr, statement;
    };
    struct Extension {
        std::uint32_t from, to;
        unsigned bits, to_bits;
        bool is_signed;
    };

    std::vector<RegisterSlot> slots_;
    std::vector<std::uint32_t> variables_; // where each lies: in local memory, or in the frame
    std::vector<bool> labels_;             // statements that are jumped to
    std::vector<std::size_t> starts_;      // the first instruction of each
    std::vector<Fixup> fixups_;
    std::vector<Extension> extensions_;
    std::unordered_map<std::uint64_t, std::uint32_t> constants_[4];
    std::size_t index_ = 0, first_ = 0;
    std::uint32_t top_ = 0, most_ = 0, registers_end_ = 0;
    bool around_ = false;
    int accesses_ = 0; // accesses of the statement that the checker doesn't follow
};

} // namespace pygpu::host::ptx
