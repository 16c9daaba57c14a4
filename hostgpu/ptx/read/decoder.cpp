// Statements one after another: their opcodes, their guards, and the handling of unknown ones.
#include "ptx/read/decoder.hpp"
#include "ptx/read/slots.hpp"

#include <algorithm>

namespace pygpu::host::ptx {

Decoder::Decoder(const Function &function, const Loaded &loaded, Body &body)
    : function(function), loaded(loaded), body(body) {}

const Operand &Decoder::operand(std::size_t index) const {
    static const Operand missing;
    return index < statement->count ? function.operands[statement->first + index] : missing;
}

bool Decoder::has(std::string_view mod) const { return std::ranges::find(mods, mod) != mods.end(); }

Type Decoder::type(std::size_t behind) const {
    for (auto mod = mods.rbegin(); mod != mods.rend(); ++mod) {
        if (const Type match = type_named(*mod); match && !behind--) return match;
    }
    return {};
}

Type Decoder::needs_type(std::size_t behind) const {
    const Type match = type(behind);
    if (!match) unknown("it has no type");
    return match;
}

void Decoder::allow(std::initializer_list<std::string_view> known) const {
    for (const std::string_view mod : mods) {
        if (!type_named(mod) && std::ranges::find(known, mod) == known.end()) unknown();
    }
}

void Decoder::unknown(std::string what) const { throw Unknown{std::move(what)}; }

Instr &Decoder::emit(Handler run) {
    Instr &instr = body.code.emplace_back();
    instr.run = run;
    instr.line = statement ? statement->line : function.line;
    return instr;
}

Extra &Decoder::extra() { return body.extras.emplace_back(); }

void Decoder::branch_around() {
    if (statement->guard == no_register || around_) return;
    around_ = true;
    if (index_ + 1 < labels_.size()) labels_[index_ + 1] = true;
    const RegisterSlot predicate = slots_[statement->guard];
    if (predicate.bits != 1) unknown("a predicate is expected behind '@'");
    Instr &instr = emit(loaded.instructions.skip);
    instr.guard = predicate.at;
    instr.flip = statement->negated ? ~0u : 0;
    target(here() - 1, index_ + 1);
}

void Decoder::trap(const std::string &what) {
    Extra &more = extra();
    more.text = std::string(statement->op) + " can't be run on the CPU" + (what.empty() ? "" : ": " + what);
    around_ = false;
    branch_around();
    emit(loaded.instructions.refuse).extra = &more;
}

void Decoder::split_opcode() {
    mods.clear();
    std::string_view rest = statement->op;
    std::size_t dot = rest.find('.');
    base = rest.substr(0, dot);
    while (dot != rest.npos) {
        rest.remove_prefix(dot + 1);
        dot = rest.find('.');
        mods.push_back(rest.substr(0, dot));
    }
}

void Decoder::extend_results() {
    for (const Extension &more : extensions_) {
        const Handler run = loaded.instructions.convert(more.bits, more.to_bits, more.is_signed);
        if (!run) unknown("a register has another size than the instruction's type");
        Instr &instr = emit(run);
        instr.d = more.to;
        instr.a = more.from;
    }
}

// All instructions of a statement share one guard. Of several, one might change the predicate: they use a
// copy. `fixups`: how many there were before the statement.
void Decoder::guard_all(std::size_t fixups) {
    const RegisterSlot guard = slots_[statement->guard];
    if (guard.bits != 1) unknown("a predicate is expected behind '@'");
    std::uint32_t at = guard.at;
    const std::size_t count = here() - first_;
    if (count > 1) {
        at = take(4);
        body.code.insert(body.code.begin() + static_cast<std::ptrdiff_t>(first_), Instr{});
        Instr &copy = body.code[first_];
        copy.run = loaded.instructions.invert;
        copy.d = at;
        copy.a = guard.at;
        copy.line = statement->line;
        for (std::size_t changed = fixups; changed < fixups_.size(); ++changed) ++fixups_[changed].instr;
    }
    const bool turned = statement->negated != (count > 1);
    for (std::size_t guarded = first_ + (count > 1); guarded < here(); ++guarded) {
        Instr &instr = body.code[guarded];
        instr.inner = instr.run;
        instr.run = loaded.instructions.guarded;
        instr.guard = at;
        instr.flip = turned ? ~0u : 0;
    }
}

void Decoder::one(std::size_t index) {
    index_ = index;
    statement = &function.statements[index];
    if (labels_[index]) emit(loaded.instructions.join);
    first_ = here();
    const std::size_t extras = body.extras.size(), fixups = fixups_.size();
    top_ = registers_end_;
    extensions_.clear();
    around_ = false;
    accesses_ = 0;
    split_opcode();
    try {
        const Decode decode = loaded.instructions.decode_of(base);
        if (!decode) throw Unknown{};
        decode(*this);
        if (loaded.checks && accesses_ > 0) loaded.instructions.give_up(*this);
        extend_results();
        if (statement->guard != no_register && !around_) guard_all(fixups);
    } catch (const Unknown &why) {
        body.code.resize(first_);
        while (body.extras.size() > extras) body.extras.pop_back();
        fixups_.resize(fixups);
        trap(why.what);
    }
}

void Decoder::mark_labels() {
    labels_.assign(function.statements.size() + 1, false);
    const auto mark = [&](const Operand &one, const auto &again) -> void {
        if (one.kind == Operand::label) labels_[std::min<std::size_t>(one.index, labels_.size() - 1)] = true;
        for (const Operand &part : one.parts) again(part, again);
    };
    for (const Operand &one : function.operands) mark(one, mark);
    for (const auto &targets : function.targets) {
        for (const Operand &one : targets) mark(one, mark);
    }
}

void Decoder::run() {
    body.function = &function;
    layout();
    mark_labels();
    loaded.instructions.begin_function(*this);
    starts_.resize(function.statements.size() + 1);
    body.code.reserve(function.statements.size() + function.statements.size() / 2 + 8);
    for (std::size_t index = 0; index < function.statements.size(); ++index) {
        starts_[index] = here();
        one(index);
    }
    finish();
}

void Decoder::finish() {
    // The end of a function returns.
    static constexpr Statement end{"ret", 0};
    statement = &end;
    index_ = function.statements.size();
    starts_[index_] = here();
    if (labels_[index_]) emit(loaded.instructions.join);
    loaded.instructions.decode_of("ret")(*this);
    for (const Fixup &one : fixups_) body.code[one.instr].target = &body.code[starts_[one.statement]];
    for (Extra &one : body.extras) {
        for (const std::uint32_t index : one.indices) one.targets.push_back(&body.code[starts_[index]]);
    }
    body.constants_at = (most_ + 63) / 64 * 64;
    body.size = body.constants_at + static_cast<std::uint32_t>(body.constants.size());
    const auto fix = [this](std::uint32_t &place) {
        if (place & is_constant) place = (place & ~is_constant) + body.constants_at;
    };
    for (Instr &one : body.code) {
        for (std::uint32_t *place : {&one.d, &one.a, &one.b, &one.c}) fix(*place);
    }
    for (Extra &one : body.extras) {
        for (std::uint32_t &place : one.slots) fix(place);
        for (std::uint32_t &place : one.results) fix(place);
    }
}

std::unique_ptr<Body> decode(const Function &function, const Loaded &loaded) {
    auto body = std::make_unique<Body>();
    try {
        Decoder(function, loaded, *body).run();
    } catch (const Unknown &why) { // the whole function is unknown
        body = std::make_unique<Body>();
        body->function = &function;
        Extra &more = body->extras.emplace_back();
        more.text = "the function can't be run on the CPU: " + why.what;
        Instr &instr = body->code.emplace_back();
        instr.run = loaded.instructions.refuse;
        instr.extra = &more;
        instr.line = function.line;
    }
    return body;
}

} // namespace pygpu::host::ptx
