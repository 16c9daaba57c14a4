// The parser of PTX.
#pragma once

#include "common/ptx/declaration.hpp"
#include "ptx/read/expression.hpp"
#include "ptx/read/scopes.hpp"

#include <span>
#include <unordered_set>

namespace pygpu::host::ptx {

class Parser {
public:
    explicit Parser(Program &program) : program_(program), words_(program.text), scopes_(words_) {}

    void run();

private:
    void version(std::string_view word);
    void check_calls(const Function &function) const;
    void statement_of_module();
    void globals(bool constant, bool in_function);
    const std::string &local_global(std::string_view name);
    void define_externals();
    void check_constants();
    void initial(Global &to, Type type, std::span<const std::uint64_t> counts, std::size_t &at);
    void initial_value(Global &to, Type type, std::size_t at);
    std::uint64_t masked(Global &to, std::size_t at, std::uint64_t mask);
    void address_in(Global &to, std::size_t at, std::size_t size, unsigned shift);
    void check_symbol(const std::string &name) const;
    Variable declarator(Space space, const Declaration &of, std::vector<std::uint64_t> *counts = nullptr);
    void function(bool entry);
    void check_size_of_parameters();
    void formals(std::vector<Formal> &to);
    Type register_type();
    std::uint32_t add_registers(Type type, std::size_t count);
    void registers();
    void body();
    void statement();
    void variable(std::string_view word);
    void label(std::string_view name);
    void instruction(std::string_view word);
    std::string_view whole(std::string_view word);
    Operand operand(int depth = 0);
    Operand number(std::string_view sign = {});
    Operand several(Operand::OperandKind kind, std::string_view end, int depth);
    Operand address(int depth);

    Program &program_;
    Lexer words_;
    Scopes scopes_;
    Function *function_ = nullptr;
    bool calls_ = false;    // the instruction is a call, with lists of operands
    bool external_ = false; // .extern was the last word
    std::unordered_set<std::string_view> globals_;
    std::vector<Global> externals_;
};

} // namespace pygpu::host::ptx
