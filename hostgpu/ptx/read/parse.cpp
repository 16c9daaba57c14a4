// Reading a module and its functions: declarations. Grammar: PTX ISA, sections "Syntax", "State Spaces,
// Types, and Variables" and "Directives".
#include "ptx/read/builtins.hpp"
#include "ptx/read/parser.hpp"
#include "ptx/read/shared_memory.hpp"

#include "common/demangled.hpp"
#include <algorithm>
#include <charconv>

namespace pygpu::host::ptx {
namespace {

constexpr std::size_t most_registers = 1 << 16;
constexpr std::size_t most_constants = 64 << 10;  // of a module
constexpr std::uint64_t most_number = 0x7fffffff; // of a directive

} // namespace

void Parser::run() {
    words_.expect(".version");
    version(words_.taken());
    while (!words_.now.empty()) statement_of_module();
    define_externals();
    check_constants();
    give_to_kernels(program_);
    check_shared(program_);
    for (const auto &function : program_.functions) check_calls(*function);
    for (const Global &one : program_.globals) {
        for (const AddressIn &address : one.addresses) check_symbol(address.symbol);
    }
}

// ---- the module
void Parser::version(std::string_view word) {
    unsigned major = 0, minor = 0;
    const char *const end = word.data() + word.size();
    const auto [dot, error] = std::from_chars(word.data(), end, major);
    if (error != std::errc{} || major > 99 || dot == end || *dot != '.' ||
        std::from_chars(dot + 1, end, minor).ptr != end || minor > 9)
        words_.fail("a version of PTX is expected");
    program_.version = 10 * major + minor;
}

// ptxas refuses calls of what isn't there, unless its code is to be linked.
void Parser::check_calls(const Function &function) const {
    for (const Statement &one : function.statements) {
        if (!one.op.starts_with("call")) continue;
        for (std::uint32_t at = one.first; at < one.first + one.count; ++at) {
            const Operand &operand = function.operands[at];
            const auto callee = program_.by_name.find(operand.name);
            if (operand.kind != Operand::symbol || callee == program_.by_name.end() ||
                callee->second->defined || builtin_named(operand.name))
                continue;
            throw Problem{demangled(operand.name) +
                              " is declared, but isn't in the module: code that is compiled with -rdc=true "
                              "must be linked with the file that defines it (cuLinkAddData, nvJitLink)",
                          one.line};
        }
    }
}

void Parser::statement_of_module() {
    const std::string_view word = words_.taken();
    if (word == ".target") {
        const std::string_view name = words_.taken();
        if (name.starts_with("sm_")) {
            const auto digits = name.substr(3);
            const auto [end, error] =
                std::from_chars(digits.data(), digits.data() + digits.size(), program_.target);
            if (error != std::errc{}) words_.fail("a target such as sm_80 is expected");
        }
        while (words_.take(",")) words_.taken();
    } else if (word == ".address_size") {
        if (words_.taken() != "64") words_.fail("addresses of 64 bits are expected");
    } else if (word == ".entry" || word == ".func") {
        function(word == ".entry");
    } else if (word == ".shared") {
        const Declaration of = declaration(words_);
        do {
            Variable variable = declarator(Space::shared, of);
            variable.dynamic = variable.size == 0;
            program_.shared.push_back(variable);
        } while (words_.take(","));
        words_.expect(";");
    } else if (word == ".global" || word == ".const") {
        globals(word == ".const", false);
    } else if (word == "{") {
        skip(words_, "{", "}");
    }
    external_ = word == ".extern";
}

void Parser::globals(bool constant, bool in_function) {
    const Declaration of = declaration(words_);
    do {
        std::vector<std::uint64_t> counts;
        const Variable one = declarator(Space::global, of, &counts);
        Global global{std::string(one.name), one.size, {}, of.managed, constant, one.alignment};
        if (in_function) global.name = local_global(one.name);
        globals_.insert(one.name);
        if (of.lanes > 1) counts.push_back(of.lanes);
        if (words_.take("=")) {
            if (external_) words_.fail("an external variable has no initial values");
            std::size_t at = 0;
            if (of.opaque.empty()) initial(global, of.type, counts, at);
            while (!of.opaque.empty() && words_.now != ";") words_.taken();
        } else if (!global.size && !external_) {
            words_.fail("the size of " + global.name + " isn't known");
        }
        if (of.opaque == ".texref") program_.texture_references.push_back(global.name);
        if (of.opaque.empty()) (external_ ? externals_ : program_.globals).push_back(std::move(global));
    } while (words_.take(","));
    words_.expect(";");
}

// The name in the program of a variable that only an open scope knows.
const std::string &Parser::local_global(std::string_view name) {
    const std::string &joined = program_.joined.emplace_back(
        std::string(function_->name) + "." + std::string(name) + "." + std::to_string(scopes_.number()));
    if (!scopes_.now().globals.try_emplace(name, joined).second) scopes_.defined_twice(name);
    return joined;
}

// ptxas 13.0 makes a variable of an external one that the text doesn't define, and warns.
void Parser::define_externals() {
    for (Global &one : externals_) {
        if (std::ranges::find(program_.globals, one.name, &Global::name) != program_.globals.end()) continue;
        if (!one.size) words_.fail("the size of " + one.name + " isn't known");
        program_.globals.push_back(std::move(one));
    }
}

// ptxas 13.0 counts all of them, used or not.
void Parser::check_constants() {
    std::size_t size = 0;
    for (const Global &one : program_.globals) {
        if (!one.constant) continue;
        size = (size + one.alignment - 1) / one.alignment * one.alignment;
        if (one.size > most_constants || (size += one.size) > most_constants)
            words_.fail("more constants than the " + std::to_string(most_constants) + " bytes of a module");
    }
}

void Parser::check_symbol(const std::string &name) const {
    const auto function = program_.by_name.find(name);
    if (!globals_.contains(name) && (function == program_.by_name.end() || function->second->entry))
        words_.fail(name + " has no address that an initial value may hold");
}

Variable Parser::declarator(Space space, const Declaration &of, std::vector<std::uint64_t> *counts) {
    const Declarator one = pygpu::ptx::declarator(words_, of, counts);
    return {one.name, space, one.size, one.alignment, false, one.type};
}

// ---- a function
void Parser::function(bool entry) {
    auto function = std::make_unique<Function>();
    function_ = function.get();
    function_->entry = entry;
    scopes_.restart();
    if (words_.now == "(") formals(function_->results);
    function_->line = words_.line;
    function_->name = words_.taken();
    if (words_.now == "(") formals(function_->parameters);
    if (entry) check_size_of_parameters();
    while (words_.now.starts_with('.')) {
        const std::string_view word = words_.taken();
        unsigned *const to = word == ".reqntid"             ? function_->threads
                             : word == ".reqnctapercluster" ? function_->cluster
                                                            : nullptr;
        std::uint64_t most = 1;
        if (word == ".noreturn") continue;
        if (word == ".callprototype" || word == ".pragma") {
            while (words_.now != ";" && words_.now != "{") words_.taken();
            words_.take(";");
            continue;
        }
        for (int dimension = 0; at_constant(words_); ++dimension) {
            const std::uint64_t value = integer(words_);
            if (value > most_number) words_.fail("a number is too large");
            if (to && dimension < 3) to[dimension] = static_cast<unsigned>(value);
            most = std::min(most * value, most_number);
            if (!words_.take(",")) break;
        }
        if (word == ".maxntid") function_->most_threads = static_cast<unsigned>(most);
        if (word == ".maxclusterrank") function_->most_in_cluster = static_cast<unsigned>(most);
        if (word == ".explicitcluster") function_->in_clusters = true;
    }
    if (words_.take("{")) {
        function_->defined = true;
        body();
    } else {
        words_.take(";");
    }
    Function *&known = program_.by_name[function_->name];
    if (known && known->defined && function_->defined) words_.fail("a function is defined twice");
    if (!known || function_->defined) known = function_;
    program_.functions.push_back(std::move(function));
}

// PTX ISA, "Kernel Function Parameters".
void Parser::check_size_of_parameters() {
    const std::size_t most = program_.version >= 81 && program_.target >= 70 ? 32764 : 4352;
    std::size_t size = 0;
    for (const Formal &one : function_->parameters) {
        if (one.in_register) continue;
        const Variable &variable = function_->variables[one.index];
        size = (size + variable.alignment - 1) / variable.alignment * variable.alignment + variable.size;
        if (size > most)
            words_.fail("the kernel's parameters take more than " + std::to_string(most) + " bytes");
    }
}

void Parser::formals(std::vector<Formal> &to) {
    words_.expect("(");
    while (!words_.take(")")) {
        const std::string_view word = words_.taken();
        if (word == ".reg" && !function_->entry) {
            const Type type = register_type();
            const std::string_view name = words_.taken();
            const std::uint32_t result = add_registers(type, 1);
            scopes_.define(scopes_.now().registers, name, result);
            to.push_back({name, true, result});
        } else if (word == ".param") {
            const Variable variable = declarator(Space::param, declaration(words_));
            scopes_.define(scopes_.now().variables, variable.name, function_->variables.size());
            to.push_back({variable.name, false, static_cast<std::uint32_t>(function_->variables.size())});
            function_->variables.push_back(variable);
        } else {
            words_.fail("a parameter is expected");
        }
        if (!words_.take(",") && words_.now != ")") words_.fail("',' or ')' is expected");
    }
}

Type Parser::register_type() {
    Type type;
    while (words_.now.starts_with('.')) {
        const std::string_view word = words_.taken();
        if (word == ".align") {
            integer(words_);
        } else {
            type = type_named(word.substr(1));
            if (!type) words_.fail("registers of the type " + std::string(word) + " aren't known");
        }
    }
    if (!type) words_.fail("a register has no type");
    return type;
}

std::uint32_t Parser::add_registers(Type type, std::size_t count) {
    const std::size_t first = function_->registers.size();
    if (count > most_registers || first + count > most_registers) words_.fail("too many registers");
    function_->registers.resize(first + count, type);
    return static_cast<std::uint32_t>(first);
}

void Parser::registers() {
    std::uint32_t elements = 1;
    if (words_.now == ".v2" || words_.now == ".v4") elements = words_.taken() == ".v2" ? 2 : 4;
    const Type type = register_type();
    do {
        const std::string_view name = words_.taken();
        if (!Lexer::in_word(name[0])) words_.fail("a register's name is expected");
        if (elements > 1) {
            const RegisterRange register_range{name, add_registers(type, elements), elements};
            if (!scopes_.now().vectors.try_emplace(name, register_range).second ||
                scopes_.now().registers.contains(name))
                scopes_.defined_twice(name);
        } else if (words_.take("<")) {
            const std::uint64_t count = integer(words_);
            words_.expect(">");
            if (count > most_registers) words_.fail("too many registers");
            for (const RegisterRange &other : scopes_.now().ranges) {
                if (other.prefix == name) scopes_.defined_twice(name);
            }
            scopes_.now().ranges.push_back(
                {name, add_registers(type, count), static_cast<std::uint32_t>(count)});
        } else {
            scopes_.define(scopes_.now().registers, name, add_registers(type, 1));
        }
    } while (words_.take(","));
    words_.expect(";");
}

std::shared_ptr<const Program> parse(std::string text) {
    auto program = std::make_shared<Program>();
    program->text = std::move(text);
    Parser(*program).run();
    return program;
}

} // namespace pygpu::host::ptx
