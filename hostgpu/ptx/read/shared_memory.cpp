// Whose the module's variables in shared memory are, and whether a block has room for all.
#include "ptx/read/shared_memory.hpp"

#include "common/ptx/lexer.hpp"

#include <algorithm>
#include <unordered_map>

namespace pygpu::host::ptx {
namespace {

constexpr std::size_t most_shared = 227 << 10; // of a block on sm_90 and later

template <class Visit> void each_symbol(Operand &operand, const Visit &visit) {
    if (operand.kind == Operand::symbol) visit(operand);
    for (Operand &part : operand.parts) each_symbol(part, visit);
}

// The only function that uses a variable; null where several do, or none.
struct User {
    Function *only = nullptr;
    bool several = false;
};

using Users = std::unordered_map<std::string_view, User>;

Users users_of(const Program &program) {
    Users users;
    for (const Variable &one : program.shared) {
        if (!one.dynamic) users[one.name];
    }
    if (users.empty()) return users;
    for (const auto &function : program.functions) {
        for (Operand &operand : function->operands) {
            each_symbol(operand, [&](const Operand &symbol) {
                const auto found = users.find(symbol.name);
                if (found == users.end()) return;
                User &user = found->second;
                user.several |= user.only && user.only != function.get();
                user.only = function.get();
            });
        }
    }
    return users;
}

// A size beyond the limit stays beyond it.
void add(std::size_t &size, const Variable &one) {
    const std::size_t begin = (size + one.alignment - 1) / one.alignment * one.alignment;
    size = std::min(begin, most_shared + 1) + std::min(one.size, most_shared + 1);
}

void add(std::size_t &size, const Function &function) {
    for (const Variable &one : function.variables) {
        if (one.space == Space::shared) add(size, one);
    }
}

} // namespace

void give_to_kernels(Program &program) {
    const Users users = users_of(program);
    std::erase_if(program.shared, [&](const Variable &one) {
        const auto found = users.find(one.name);
        if (found == users.end() || found->second.several) return false;
        Function *const kernel = found->second.only;
        if (!kernel || !kernel->entry) return false;
        const auto index = static_cast<std::uint32_t>(kernel->variables.size());
        kernel->variables.push_back(one);
        for (Operand &operand : kernel->operands) {
            each_symbol(operand, [&](Operand &symbol) {
                if (symbol.name != one.name) return;
                symbol.kind = Operand::variable;
                symbol.index = index;
            });
        }
        return true;
    });
}

void check_shared(const Program &program) {
    std::size_t all = 0;
    for (const Variable &one : program.shared) add(all, one);
    for (const auto &function : program.functions) {
        if (!function->entry) add(all, *function);
    }
    for (const auto &function : program.functions) {
        std::size_t size = all;
        if (function->entry) add(size, *function);
        if (size > most_shared)
            throw pygpu::ptx::Problem{"more shared memory than the " + std::to_string(most_shared) +
                                          " bytes of a block",
                                      function->line};
    }
}

} // namespace pygpu::host::ptx
