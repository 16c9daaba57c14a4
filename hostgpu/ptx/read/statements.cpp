// Reading the statements of a function, with their operands (PTX ISA, "Instructions").
#include "ptx/read/parser.hpp"

namespace pygpu::host::ptx {

void Parser::body() {
    scopes_.open(); // so that a local name may hide a parameter's
    const std::size_t outer = scopes_.depth();
    while (!(scopes_.depth() == outer && words_.now == "}")) {
        if (words_.take("{")) {
            scopes_.open();
        } else if (words_.take("}")) {
            scopes_.close();
        } else {
            statement();
        }
    }
    words_.next();
    for (Operand &one : function_->operands) scopes_.resolve(one);
    for (auto &targets : function_->targets) {
        for (Operand &one : targets) scopes_.resolve(one);
    }
}

void Parser::statement() {
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

void Parser::variable(std::string_view word) {
    const Space space = word == ".local" ? Space::local : word == ".shared" ? Space::shared : Space::param;
    const Declaration of = declaration(words_);
    do {
        const Variable variable = declarator(space, of);
        scopes_.define(scopes_.now().variables, variable.name, function_->variables.size());
        function_->variables.push_back(variable);
    } while (words_.take(","));
    words_.expect(";");
}

void Parser::label(std::string_view name) {
    if (words_.now == ".branchtargets" || words_.now == ".calltargets") {
        const bool branches = words_.taken() == ".branchtargets";
        std::vector<Operand> targets;
        do {
            Operand one;
            one.kind = Operand::label;
            one.name = words_.taken();
            one.scope = scopes_.number();
            targets.push_back(std::move(one));
        } while (words_.take(","));
        words_.expect(";");
        if (!branches) return;
        scopes_.define(scopes_.now().targets, name, function_->targets.size());
        function_->targets.push_back(std::move(targets));
    } else if (words_.now == ".callprototype") {
        while (words_.now != ";") words_.taken();
        words_.next();
    } else {
        scopes_.define(scopes_.now().labels, name, function_->statements.size());
    }
}

void Parser::instruction(std::string_view word) {
    Statement statement{word, words_.line};
    if (word == "@") {
        statement.negated = words_.take("!");
        Operand guard = operand();
        if (guard.kind != Operand::reg) words_.fail("a predicate is expected behind '@'");
        statement.guard = guard.index;
        statement.line = words_.line;
        statement.op = words_.taken();
    }
    if (!Lexer::in_word(statement.op[0]) || Lexer::is_digit(statement.op[0]))
        words_.fail("an instruction is expected, not '" + std::string(statement.op) + "'");
    statement.op = whole(statement.op);
    statement.first = static_cast<std::uint32_t>(function_->operands.size());
    calls_ = statement.op.starts_with("call");
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
    statement.count = static_cast<std::uint32_t>(function_->operands.size()) - statement.first;
    function_->statements.push_back(statement);
}

// A word with its parts, between which blanks or comments may stand: "ld .global.u32", "%tid .x".
std::string_view Parser::whole(std::string_view word) {
    if (!words_.now.starts_with('.')) return word;
    std::string &joined = program_.joined.emplace_back(word);
    while (words_.now.starts_with('.')) joined += words_.taken();
    return joined;
}

Operand Parser::operand(int depth) {
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
    Operand operand = scopes_.named(whole(word));
    operand.negated = negated;
    if (words_.now == "+" && operand.kind != Operand::reg) { // a symbol and a number
        words_.next();
        operand.offset = signed_number(words_);
    }
    return operand;
}

// Behind a sign, or none.
Operand Parser::number(std::string_view sign) {
    const Value value = constant(words_, sign);
    Operand operand;
    operand.kind = value.kind == Value::single ? Operand::single
                   : value.kind == Value::real ? Operand::real
                                               : Operand::number;
    operand.bits = value.bits;
    return operand;
}

Operand Parser::several(Operand::OperandKind kind, std::string_view end, int depth) {
    Operand result;
    result.kind = kind;
    while (!words_.take(end)) {
        result.parts.push_back(operand(depth + 1));
        if (result.parts.size() > 4096) words_.fail("too many operands");
        if (!words_.take(",") && words_.now != end) words_.fail("',' is expected");
    }
    return result;
}

Operand Parser::address(int depth) {
    Operand result;
    result.kind = Operand::address;
    if (at_constant(words_)) {
        result.offset = signed_number(words_);
    } else if (Lexer::in_word(words_.now.empty() ? ' ' : words_.now[0])) {
        result.parts.push_back(scopes_.named(whole(words_.taken())));
        if (words_.take("+") || words_.now == "-") result.offset = signed_number(words_);
    } else {
        words_.fail("an address is expected");
    }
    if (words_.now == ",") { // of a texture, or of a tensor
        const bool readable = result.parts.size() == 1;
        result.kind = Operand::texel;
        while (words_.take(",")) result.parts.push_back(operand(depth + 1));
        if (!readable || result.parts.size() != 2) result.kind = Operand::unreadable;
    }
    words_.expect("]");
    return result;
}

} // namespace pygpu::host::ptx
