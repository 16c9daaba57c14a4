// Reading PTX: declarations, and statements of functions. Grammar: PTX ISA, sections "Syntax", "State Spaces,
// Types, and Variables" and "Directives".
#include "ptx/builtins.hpp"
#include "ptx/demangle.hpp"
#include "ptx/expression.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <span>
#include <unordered_set>

namespace pygpu::host::ptx {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 32, most_registers = 1 << 16, most_initial = 1 << 28,
                      most_shared = 227 << 10; // of a block on sm_90 and later

constexpr std::uint64_t most_number = 0x7fffffff; // of a directive

struct Range {
    std::string_view prefix;
    std::uint32_t first, count;
};

struct Scope {
    std::uint32_t parent;
    std::unordered_map<std::string_view, std::uint32_t> registers, variables, labels, targets;
    std::unordered_map<std::string_view, Range> vectors;
    std::unordered_map<std::string_view, std::string_view> globals; // their names in the program
    std::vector<Range> ranges;
};

class Parser {
public:
    explicit Parser(Program &program) : program_(program), words_(program.text) {}

    void run() {
        words_.expect(".version");
        version(words_.taken());
        while (!words_.now.empty()) statement_of_module();
        define_externals();
        for (const auto &function : program_.functions) check_calls(*function);
        for (const Global &one : program_.globals) {
            for (const AddressIn &address : one.addresses) check_symbol(address.symbol);
        }
    }

private:
    // ---- the module
    void version(std::string_view word) {
        unsigned major = 0, minor = 0;
        const char *const end = word.data() + word.size();
        const auto [dot, error] = std::from_chars(word.data(), end, major);
        if (error != std::errc{} || major > 99 || dot == end || *dot != '.' ||
            std::from_chars(dot + 1, end, minor).ptr != end || minor > 9)
            words_.fail("a version of PTX is expected");
        program_.version = 10 * major + minor;
    }

    // ptxas refuses calls of what isn't there, unless its code is to be linked.
    void check_calls(const Function &function) const {
        for (const Statement &one : function.statements) {
            if (!one.op.starts_with("call")) continue;
            for (std::uint32_t at = one.first; at < one.first + one.count; ++at) {
                const Operand &operand = function.operands[at];
                const auto callee = program_.by_name.find(operand.name);
                if (operand.kind != Operand::symbol || callee == program_.by_name.end() ||
                    callee->second->defined || builtin_named(operand.name))
                    continue;
                throw Problem{demangled(operand.name) +
                                  " is declared, but isn't in the module: relocatable device code (nvcc "
                                  "-rdc=true) would have to be linked, which isn't supported",
                              one.line};
            }
        }
    }

    void statement_of_module() {
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
            const Declared of = declared();
            do {
                Variable made = declarator(Space::shared, of);
                made.dynamic = made.size == 0;
                program_.shared.push_back(made);
                add_shared(shared_of_all_, made);
            } while (words_.take(","));
            words_.expect(";");
        } else if (word == ".global" || word == ".const") {
            globals(word == ".const", false);
        } else if (word == "{") {
            skip("{", "}");
        }
        external_ = word == ".extern";
    }

    void globals(bool constant, bool in_function) {
        const Declared of = declared();
        do {
            std::vector<std::uint64_t> counts;
            const Variable one = declarator(Space::global, of, &counts);
            Global made{std::string(one.name), one.size, {}, of.managed, constant, one.alignment};
            if (in_function) made.name = local_global(one.name);
            globals_.insert(one.name);
            if (of.lanes > 1) counts.push_back(of.lanes);
            if (words_.take("=")) {
                if (external_) words_.fail("an external variable has no initial values");
                std::size_t at = 0;
                if (of.opaque.empty()) initial(made, of.type, counts, at);
                while (!of.opaque.empty() && words_.now != ";") words_.taken();
            } else if (!made.size && !external_) {
                words_.fail("the size of " + made.name + " isn't known");
            }
            if (of.opaque == ".texref") program_.texture_references.push_back(made.name);
            if (of.opaque.empty()) (external_ ? externals_ : program_.globals).push_back(std::move(made));
        } while (words_.take(","));
        words_.expect(";");
    }

    // The name in the program of a variable that only an open scope knows.
    const std::string &local_global(std::string_view name) {
        const std::string &made = program_.joined.emplace_back(
            std::string(function_->name) + "." + std::string(name) + "." + std::to_string(open_.back()));
        if (!scope().globals.try_emplace(name, made).second) defined_twice(name);
        return made;
    }

    // ptxas 13.0 makes a variable of an external one that the text doesn't define, and warns.
    void define_externals() {
        for (Global &one : externals_) {
            if (std::ranges::find(program_.globals, one.name, &Global::name) != program_.globals.end())
                continue;
            if (!one.size) words_.fail("the size of " + one.name + " isn't known");
            program_.globals.push_back(std::move(one));
        }
    }

    // The values of an array, of an element of it, or of a vector's (PTX ISA, "Initializers"). Its counts may
    // begin with 0: as many as there are. Values follow each other without holes, as ptxas 13.0 puts them,
    // also behind an element with too few.
    void initial(Global &to, Type type, std::span<const std::uint64_t> counts, std::size_t &at) {
        if (counts.empty()) {
            initial_value(to, type, at);
            at += type.width() / 8;
            return;
        }
        const auto rest = counts.subspan(1);
        std::size_t step = type.width() / 8, count = 0;
        for (const std::uint64_t one : rest) step *= one;
        words_.expect("{");
        if (!words_.take("}")) {
            do {
                if (counts[0] && count == counts[0]) words_.fail("there are too many initial values");
                initial(to, type, rest, at);
                ++count;
            } while (words_.take(","));
            words_.expect("}");
        }
        if (counts[0]) return;
        if (!count || count * step > most_bytes) words_.fail("the size of " + to.name + " isn't known");
        to.size = count * step;
    }

    void initial_value(Global &to, Type type, std::size_t at) {
        const std::size_t size = type.width() / 8;
        const std::string_view sign = is_sign(words_.now) ? words_.taken() : std::string_view{};
        Operand value;
        if (at_constant(words_)) {
            value = number(sign);
            if (value.kind == Operand::number && words_.take("(")) value.bits = masked(to, at, value.bits);
        } else if (sign.empty() && type.kind == Type::natural && size >= 8) {
            return address_in(to, at, 8, 0);
        } else {
            words_.fail("an initial value is expected that fits its type, not '" + std::string(words_.now) +
                        "'");
        }
        const bool real = value.kind == Operand::single || value.kind == Operand::real;
        if (real ? !(type.kind == Type::real || type.kind == Type::untyped) || size < 4 : type.is_float())
            words_.fail("an initial value doesn't fit its type");
        if (value.kind == Operand::real && size == 4)
            value.bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(value.bits)));
        if (!value.bits) return;
        if (at >= most_initial) words_.fail("there are too many initial values");
        if (to.initial.size() < at + size) to.initial.resize(at + size);
        std::memcpy(to.initial.data() + at, &value.bits, std::min(size, sizeof value.bits));
    }

    // "0xff00(name)", from behind the parenthesis: a byte of an address, or of a number.
    std::uint64_t masked(Global &to, std::size_t at, std::uint64_t mask) {
        const auto shift = static_cast<unsigned>(std::countr_zero(mask));
        if (shift % 8 || mask >> (shift & 63) != 0xff) words_.fail("a mask selects one byte, such as 0xff00");
        std::uint64_t value = 0;
        if (at_constant(words_))
            value = static_cast<std::uint64_t>(signed_number(words_)) >> shift & 0xff;
        else
            address_in(to, at, 1, shift);
        words_.expect(")");
        return value;
    }

    // "name", "name+4", "generic(name)+4".
    void address_in(Global &to, std::size_t at, std::size_t size, unsigned shift) {
        const bool generic = words_.take("generic");
        if (generic) words_.expect("(");
        const std::string_view name = words_.taken();
        if (!Lexer::in_word(name[0])) words_.fail("a value is expected, not '" + std::string(name) + "'");
        if (generic) words_.expect(")");
        const auto offset = words_.take("+") ? static_cast<std::uint64_t>(signed_number(words_)) : 0;
        to.addresses.push_back({at, std::string(name), offset, size, shift});
    }

    void check_symbol(const std::string &name) const {
        const auto function = program_.by_name.find(name);
        if (!globals_.contains(name) && (function == program_.by_name.end() || function->second->entry))
            words_.fail(name + " has no address that an initial value may hold");
    }

    // Adds up what a block needs: variables of the module, of all device functions, and of one kernel.
    void add_shared(std::size_t &to, const Variable &variable) {
        to = (to + variable.alignment - 1) / variable.alignment * variable.alignment + variable.size;
        shared_of_kernels_ = std::max(shared_of_kernels_, shared_of_kernel_);
        if (shared_of_all_ + shared_of_kernels_ > most_shared)
            words_.fail("more shared memory than the " + std::to_string(most_shared) + " bytes of a block");
    }

    void skip(std::string_view open, std::string_view close) {
        for (int depth = 1; depth;) {
            const std::string_view word = words_.taken();
            depth += word == open ? 1 : word == close ? -1 : 0;
        }
    }

    struct Declared {
        Type type;
        std::string_view name; // of the type
        std::size_t lanes = 1, alignment = 0;
        bool managed = false;
        std::string_view opaque{}; // ".texref", ".samplerref" or ".surfref"
    };

    // ".align 4 .b8" of ".align 4 .b8 name[12]", behind the space.
    Declared declared() {
        Declared made;
        bool pointer = false;
        while (words_.now.starts_with('.')) {
            const std::string_view word = words_.taken();
            if (word == ".align") {
                const std::uint64_t given = integer(words_);
                if (!given || given & (given - 1) || given > 4096)
                    words_.fail("an alignment isn't a power of two");
                if (!pointer) made.alignment = given;
            } else if (word == ".ptr") {
                pointer = true;
            } else if (word == ".attribute") {
                words_.expect("(");
                made.managed |= words_.now == ".managed";
                skip("(", ")");
            } else if (word == ".v2" || word == ".v4" || word == ".v8") {
                made.lanes = static_cast<std::size_t>(word[2] - '0');
            } else if (word == ".texref" || word == ".samplerref" || word == ".surfref") {
                made.opaque = word;
                made.type = {Type::natural, 64};
                made.name = "u64";
            } else if (const Type type = type_named(word.substr(1)); type.bits && type.width() >= 8) {
                made.type = type;
                made.name = word.substr(1);
            }
        }
        if (!made.type) words_.fail("a declaration has no type");
        return made;
    }

    // "name[12]". An array's counts begin with 0 where it has as many elements as values.
    Variable declarator(Space space, const Declared &of, std::vector<std::uint64_t> *counts = nullptr) {
        const std::size_t element = of.type.width() / 8, all = element * of.lanes;
        Variable made{words_.taken(), space, all, of.alignment, false, "b8"};
        if (!Lexer::in_word(made.name[0])) words_.fail("a name is expected");
        bool open = false;
        for (bool first = true; words_.take("["); first = false) {
            const std::uint64_t count = words_.now == "]" ? 0 : integer(words_);
            words_.expect("]");
            if (!first && !count) words_.fail("only an array's first dimension may be open");
            if (counts && counts->size() == most_nested) words_.fail("an array has too many dimensions");
            if (counts) counts->push_back(count);
            if (count && made.size > most_bytes / count) words_.fail("a declaration is too large");
            made.size *= count ? count : 1;
            open |= !count;
        }
        if (open) made.size = 0;
        if (!made.alignment) made.alignment = std::min<std::size_t>(all, 16);
        if (made.size == element) made.type = of.name;
        return made;
    }

    // ---- a function
    void function(bool entry) {
        auto made = std::make_unique<Function>();
        function_ = made.get();
        function_->entry = entry;
        shared_of_kernel_ = 0;
        scopes_.clear();
        open_.clear();
        open();
        if (words_.now == "(") formals(function_->results);
        function_->line = words_.line;
        function_->name = words_.taken();
        if (words_.now == "(") formals(function_->parameters);
        if (entry) check_size_of_parameters();
        while (words_.now.starts_with('.')) {
            const std::string_view word = words_.taken();
            unsigned *to = word == ".reqntid" ? function_->threads : nullptr;
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
            if (word == ".reqnctapercluster") function_->cluster = static_cast<unsigned>(most);
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
        program_.functions.push_back(std::move(made));
    }

    // PTX ISA, "Kernel Function Parameters".
    void check_size_of_parameters() {
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

    void formals(std::vector<Formal> &to) {
        words_.expect("(");
        while (!words_.take(")")) {
            const std::string_view word = words_.taken();
            if (word == ".reg" && !function_->entry) {
                const Type type = register_type();
                const std::string_view name = words_.taken();
                const std::uint32_t made = add_registers(type, 1);
                define(scope().registers, name, made);
                to.push_back({name, true, made});
            } else if (word == ".param") {
                const Variable made = declarator(Space::param, declared());
                define(scope().variables, made.name, function_->variables.size());
                to.push_back({made.name, false, static_cast<std::uint32_t>(function_->variables.size())});
                function_->variables.push_back(made);
            } else {
                words_.fail("a parameter is expected");
            }
            if (!words_.take(",") && words_.now != ")") words_.fail("',' or ')' is expected");
        }
    }

    Type register_type() {
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

    std::uint32_t add_registers(Type type, std::size_t count) {
        const std::size_t first = function_->registers.size();
        if (count > most_registers || first + count > most_registers) words_.fail("too many registers");
        function_->registers.resize(first + count, type);
        return static_cast<std::uint32_t>(first);
    }

    void registers() {
        std::uint32_t elements = 1;
        if (words_.now == ".v2" || words_.now == ".v4") elements = words_.taken() == ".v2" ? 2 : 4;
        const Type type = register_type();
        do {
            const std::string_view name = words_.taken();
            if (!Lexer::in_word(name[0])) words_.fail("a register's name is expected");
            if (elements > 1) {
                const Range made{name, add_registers(type, elements), elements};
                if (!scope().vectors.try_emplace(name, made).second || scope().registers.contains(name))
                    defined_twice(name);
            } else if (words_.take("<")) {
                const std::uint64_t count = integer(words_);
                words_.expect(">");
                if (count > most_registers) words_.fail("too many registers");
                for (const Range &other : scope().ranges) {
                    if (other.prefix == name) defined_twice(name);
                }
                scope().ranges.push_back(
                    {name, add_registers(type, count), static_cast<std::uint32_t>(count)});
            } else {
                define(scope().registers, name, add_registers(type, 1));
            }
        } while (words_.take(","));
        words_.expect(";");
    }

    // In the scope that is open. Prototypes call all their parameters "_".
    void define(std::unordered_map<std::string_view, std::uint32_t> &names, std::string_view name,
                std::size_t index) {
        if (!names.try_emplace(name, static_cast<std::uint32_t>(index)).second && name != "_")
            defined_twice(name);
    }
    [[noreturn]] void defined_twice(std::string_view name) const {
        words_.fail(std::string(name) + " is defined twice");
    }

    Scope &scope() { return scopes_[open_.back()]; }
    void open() {
        if (open_.size() > most_nested) words_.fail("braces are nested too deeply");
        scopes_.push_back({open_.empty() ? 0 : open_.back(), {}, {}, {}, {}, {}, {}, {}});
        open_.push_back(static_cast<std::uint32_t>(scopes_.size() - 1));
    }

    void body() {
        open(); // so that a local name may hide a parameter's
        const std::size_t outer = open_.size();
        while (!(open_.size() == outer && words_.now == "}")) {
            if (words_.take("{")) {
                open();
            } else if (words_.take("}")) {
                open_.pop_back();
            } else {
                statement();
            }
        }
        words_.next();
        for (Operand &one : function_->operands) resolve(one);
        for (auto &targets : function_->targets) {
            for (Operand &one : targets) resolve(one);
        }
    }

    void statement() {
        const std::string_view word = words_.taken();
        if (word == ";") return;
        if (word == ".reg") return registers();
        if (word == ".global" || word == ".const") return globals(word == ".const", true);
        if (word == ".local" || word == ".shared" || word == ".param") return variable(word);
        if (word.starts_with('.')) { // .loc, .pragma
            if (word == ".loc") {
                const unsigned line = words_.line; // to the end of the line
                while (!words_.now.empty() && words_.now != ";" && words_.line == line) words_.taken();
            } else {
                while (words_.now != ";") words_.taken();
            }
            words_.take(";");
            return;
        }
        if (words_.now == ":") {
            words_.next();
            label(word);
            return;
        }
        instruction(word);
    }

    void variable(std::string_view word) {
        const Space space = word == ".local"    ? Space::local
                            : word == ".shared" ? Space::shared
                                                : Space::param;
        const Declared of = declared();
        do {
            const Variable made = declarator(space, of);
            if (space == Space::shared)
                add_shared(function_->entry ? shared_of_kernel_ : shared_of_all_, made);
            define(scope().variables, made.name, function_->variables.size());
            function_->variables.push_back(made);
        } while (words_.take(","));
        words_.expect(";");
    }

    void label(std::string_view name) {
        if (words_.now == ".branchtargets" || words_.now == ".calltargets") {
            const bool branches = words_.taken() == ".branchtargets";
            std::vector<Operand> targets;
            do {
                Operand one;
                one.kind = Operand::label;
                one.name = words_.taken();
                one.scope = open_.back();
                targets.push_back(std::move(one));
            } while (words_.take(","));
            words_.expect(";");
            if (!branches) return;
            define(scope().targets, name, function_->targets.size());
            function_->targets.push_back(std::move(targets));
        } else if (words_.now == ".callprototype") {
            while (words_.now != ";") words_.taken();
            words_.next();
        } else {
            define(scope().labels, name, function_->statements.size());
        }
    }

    void instruction(std::string_view word) {
        Statement made{word, words_.line};
        if (word == "@") {
            made.negated = words_.take("!");
            Operand guard = operand();
            if (guard.kind != Operand::reg) words_.fail("a predicate is expected behind '@'");
            made.guard = guard.index;
            made.line = words_.line;
            made.op = words_.taken();
        }
        if (!Lexer::in_word(made.op[0]) || Lexer::is_digit(made.op[0]))
            words_.fail("an instruction is expected, not '" + std::string(made.op) + "'");
        made.op = whole(made.op);
        made.first = static_cast<std::uint32_t>(function_->operands.size());
        calls_ = made.op.starts_with("call");
        while (!words_.take(";")) {
            Operand one = operand();
            function_->operands.push_back(std::move(one));
            if (words_.take("|")) {
                function_->operands.push_back(operand());
                function_->operands.back().second = true;
            }
            if (!words_.take(",") && words_.now != ";")
                words_.fail("',' or ';' is expected, not '" + std::string(words_.now) + "'");
        }
        made.count = static_cast<std::uint32_t>(function_->operands.size()) - made.first;
        function_->statements.push_back(made);
    }

    // A word with its parts, between which blanks or comments may stand: "ld .global.u32", "%tid .x".
    std::string_view whole(std::string_view word) {
        if (!words_.now.starts_with('.')) return word;
        std::string &joined = program_.joined.emplace_back(word);
        while (words_.now.starts_with('.')) joined += words_.taken();
        return joined;
    }

    Operand operand(int depth = 0) {
        if (depth > 3) words_.fail("operands are nested too deeply");
        if (words_.take("{")) return several(Operand::vector, "}", depth);
        if (calls_ && words_.take("(")) return several(Operand::list, ")", depth);
        if (words_.take("[")) return address(depth);
        const bool negated = words_.now == "-" || words_.now == "!";
        const std::string_view sign = is_sign(words_.now) ? words_.taken() : std::string_view{};
        if (at_constant(words_)) return number(sign);
        const std::string_view word = words_.taken();
        if (!Lexer::in_word(word[0]) || sign == "~" || sign == "+")
            words_.fail("an operand is expected, not '" + std::string(word) + "'");
        Operand made = named(whole(word));
        made.negated = negated;
        if (words_.now == "+" && made.kind != Operand::reg) { // a symbol and a number
            words_.next();
            made.offset = signed_number(words_);
        }
        return made;
    }

    // Behind a sign, or none.
    Operand number(std::string_view sign = {}) {
        const Value value = constant(words_, sign);
        Operand made;
        made.kind = value.kind == Value::single ? Operand::single
                    : value.kind == Value::real ? Operand::real
                                                : Operand::number;
        made.bits = value.bits;
        return made;
    }

    Operand several(Operand::Kind kind, std::string_view end, int depth) {
        Operand made;
        made.kind = kind;
        while (!words_.take(end)) {
            made.parts.push_back(operand(depth + 1));
            if (made.parts.size() > 4096) words_.fail("too many operands");
            if (!words_.take(",") && words_.now != end) words_.fail("',' is expected");
        }
        return made;
    }

    Operand address(int depth) {
        Operand made;
        made.kind = Operand::address;
        if (at_constant(words_)) {
            made.offset = signed_number(words_);
        } else if (Lexer::in_word(words_.now.empty() ? ' ' : words_.now[0])) {
            made.parts.push_back(named(whole(words_.taken())));
            if (words_.take("+") || words_.now == "-") made.offset = signed_number(words_);
        } else {
            words_.fail("an address is expected");
        }
        if (words_.now == ",") { // of a texture, or of a tensor
            const bool readable = made.parts.size() == 1 && !made.offset;
            made.kind = Operand::texel;
            while (words_.take(",")) made.parts.push_back(operand(depth + 1));
            if (!readable || made.parts.size() != 2) made.kind = Operand::unreadable;
        }
        words_.expect("]");
        return made;
    }

    // "%v", or an element of it: "%v.x".
    static bool is_of_vector(const Scope &scope, std::string_view word, Operand &made) {
        if (const auto found = scope.vectors.find(word); found != scope.vectors.end()) {
            made.kind = Operand::vector;
            for (std::uint32_t index = 0; index < found->second.count; ++index) {
                Operand &part = made.parts.emplace_back();
                part.kind = Operand::reg;
                part.index = found->second.first + index;
            }
            return true;
        }
        if (word.size() < 3 || word[word.size() - 2] != '.') return false;
        const auto found = scope.vectors.find(word.substr(0, word.size() - 2));
        if (found == scope.vectors.end()) return false;
        const std::size_t index = std::string_view("xyzwrgba").find(word.back());
        if (index == std::string_view::npos || index % 4 >= found->second.count) return false;
        made.kind = Operand::reg;
        made.index = found->second.first + static_cast<std::uint32_t>(index % 4);
        return true;
    }

    Operand named(std::string_view word) {
        Operand made;
        made.name = word;
        made.scope = open_.back();
        if (word == "_") {
            made.kind = Operand::sink;
            return made;
        }
        std::size_t digits = word.size();
        while (digits && Lexer::is_digit(word[digits - 1])) --digits;
        const std::string_view prefix = word.substr(0, digits);
        std::uint32_t value = 0;
        const bool numbered = digits < word.size() && word.size() - digits < 8;
        if (numbered) std::from_chars(word.data() + digits, word.data() + word.size(), value);
        for (auto at = open_.rbegin(); at != open_.rend(); ++at) {
            const Scope &one = scopes_[*at];
            if (numbered) {
                for (auto range = one.ranges.rbegin(); range != one.ranges.rend(); ++range) {
                    if (range->prefix == prefix && value < range->count) {
                        made.kind = Operand::reg;
                        made.index = range->first + value;
                        return made;
                    }
                }
            }
            if (!one.vectors.empty() && is_of_vector(one, word, made)) return made;
            if (!one.registers.empty()) {
                if (const auto found = one.registers.find(word); found != one.registers.end()) {
                    made.kind = Operand::reg;
                    made.index = found->second;
                    return made;
                }
            }
            if (!one.globals.empty()) {
                if (const auto found = one.globals.find(word); found != one.globals.end()) {
                    made.kind = Operand::symbol;
                    made.name = found->second;
                    return made;
                }
            }
            if (!one.variables.empty()) {
                if (const auto found = one.variables.find(word); found != one.variables.end()) {
                    made.kind = Operand::variable;
                    made.index = found->second;
                    return made;
                }
            }
        }
        made.kind = word[0] == '%' ? Operand::special : Operand::symbol;
        return made;
    }

    // Labels are known only at the end of the function.
    void resolve(Operand &one) {
        for (Operand &part : one.parts) resolve(part);
        if (one.kind != Operand::symbol && one.kind != Operand::label) return;
        for (std::uint32_t at = one.scope;; at = scopes_[at].parent) {
            const Scope &in = scopes_[at];
            if (const auto found = in.labels.find(one.name); found != in.labels.end()) {
                one.kind = Operand::label;
                one.index = found->second;
                return;
            }
            if (const auto found = in.targets.find(one.name);
                found != in.targets.end() && one.kind == Operand::symbol) {
                one.kind = Operand::targets;
                one.index = found->second;
                return;
            }
            if (!at) break;
        }
        if (one.kind == Operand::label) words_.fail("the label " + std::string(one.name) + " isn't there");
    }

    Program &program_;
    Lexer words_;
    Function *function_ = nullptr;
    bool calls_ = false;    // the instruction is a call, with lists of operands
    bool external_ = false; // .extern was the last word
    std::unordered_set<std::string_view> globals_;
    std::vector<Global> externals_;
    std::vector<Scope> scopes_;
    std::vector<std::uint32_t> open_;
    std::size_t shared_of_all_ = 0, shared_of_kernel_ = 0, shared_of_kernels_ = 0; // bytes
};

} // namespace

Type type_named(std::string_view name) {
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

std::shared_ptr<const Program> parse(std::string text) {
    auto program = std::make_shared<Program>();
    program->text = std::move(text);
    Parser(*program).run();
    return program;
}

} // namespace pygpu::host::ptx
