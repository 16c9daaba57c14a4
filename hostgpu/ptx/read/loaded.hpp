// A program on a device: its variables have addresses, and its functions are decoded when they are first
// needed.
#pragma once

#include "ptx/read/code.hpp"
#include "ptx/read/instruction_set.hpp"
#include "ptx/read/sources.hpp"

#include <map>
#include <mutex>
#include <optional>

namespace pygpu::host::ptx {

// Functions have addresses that nobody can read: the tag, plus their number times 16. A number is unique in
// the process, so that functions of other modules are recognised.
constexpr std::uint64_t function_tag = 0x00F0'0000'0000'0000;

class Loaded {
public:
    using Addresses = std::unordered_map<std::string, std::uint64_t>;
    Loaded(std::shared_ptr<const Program> program, Addresses addresses, const InstructionSet &instructions,
           bool checks = false);
    Loaded(const Loaded &) = delete;
    Loaded &operator=(const Loaded &) = delete;

    const std::shared_ptr<const Program> program;
    const InstructionSet &instructions;
    const bool checks; // functions are decoded with the checker's instructions
    // Bytes after each variable in shared and local memory, so that the checker sees an overrun.
    std::size_t gap() const { return checks ? 16 : 0; }

    // Decodes it the first time.
    const Body &body(const Function &function);
    // The function that a pointer stands for; null where this program has none at the address.
    const Function *function_at(std::uint64_t address) const;

    // The address of a variable or of a function.
    std::optional<std::uint64_t> address_of(std::string_view name) const;

    // The variable that starts at an address.
    std::optional<std::string_view> name_at(std::uint64_t address) const;

    // The module's variable of that name in shared memory, and where it starts; null where there is none.
    const Variable *shared_variable(std::string_view name, std::size_t &at) const;
    // Where a variable of a function in shared memory lies.
    std::size_t place_shared(const Variable &variable) const;
    // The size of a block's shared memory without the dynamic part, which starts there. It is enough for any
    // kernel.
    std::size_t shared_size() const { return function_shared_; }
    // The static shared memory of a kernel itself.
    std::size_t constant_size() const;
    std::size_t static_shared(const Function &entry) const;

    // For messages: the line of source that an instruction comes from, and the same as text.
    SourceLine source_of(const Function &function, const Instr &at) const {
        return sources().of(function.line, at.line);
    }
    std::string place_of(const Function &function, const Instr &at) const {
        return sources().text(function.line, at.line);
    }

private:
    std::size_t stack_of(const Function &entry) const;
    const Sources &sources() const; // read the first time
    Addresses addresses_;
    std::unordered_map<std::string_view, std::uint64_t> functions_;
    std::vector<const Function *> by_number_;
    std::uint64_t first_number_; // of by_number_[0]
    std::unordered_map<std::string_view, std::pair<const Variable *, std::size_t>> shared_;
    std::size_t function_shared_ = 0;
    std::map<const Variable *, std::size_t> shared_of_functions_;
    std::map<const Function *, std::size_t> static_shared_;
    std::mutex mutex_;
    std::map<const Function *, std::unique_ptr<Body>> bodies_;
    mutable std::once_flag read_;
    mutable std::unique_ptr<const Sources> sources_;
};

// Makes a function ready to run. An unknown statement becomes an instruction that stops the launch.
std::unique_ptr<Body> decode(const Function &function, const Loaded &loaded);

} // namespace pygpu::host::ptx
