// The frame's layout, operands, guards, and the handling of unknown statements.
#include "ptx/decoder.hpp"

#include "ptx/check/handlers.hpp"
#include "ptx/lanes.hpp"

#include <algorithm>
#include <cstring>

namespace pygpu::host::ptx {
namespace {

constexpr std::uint32_t is_constant = 1u << 31;
constexpr std::size_t most_frame = 1 << 24; // bytes of registers, and of constants

// The bits that a lane's value takes in a frame.
unsigned stored(unsigned bits) { return bits <= 16 ? 16 : bits <= 32 ? 32 : bits <= 64 ? 64 : 128; }
unsigned order(unsigned bits) { return bits <= 16 ? 0 : bits <= 32 ? 1 : bits <= 64 ? 2 : 3; }

// ---- handlers
const Instr *guarded(const Instr *i, Warp &w) {
    const std::uint32_t lanes = (w.pred(i->guard) ^ i->flip) & w.exec;
    if (lanes == w.exec) return i->inner(i, w);
    if (!lanes) return i + 1;
    const std::uint32_t all = w.exec;
    const bool whole = w.whole;
    w.exec = lanes;
    w.whole = false;
    const Instr *const next = i->inner(i, w);
    w.exec = all;
    w.whole = whole;
    return next;
}

const Instr *join(const Instr *i, Warp &w) {
    return w.stop_at && i >= w.stop_at ? w.leave(Warp::Event::again, i) : i + 1;
}

const Instr *around(const Instr *i, Warp &w) {
    const std::uint32_t skipping = ~(w.pred(i->guard) ^ i->flip) & w.exec;
    if (!skipping) return i + 1;
    if (skipping == w.exec) return w.jump(i, i->target);
    return w.split(skipping, i->target, i + 1);
}

const Instr *not_known(const Instr *i, Warp &w) {
    return w.fail(Fault::launch_failure, i, i->extra->text, static_cast<unsigned>(std::countr_zero(w.exec)));
}

// imm: what is added before, which wraps.
template <class To, class From> const Instr *extend(const Instr *i, Warp &w) {
    To *const d = w.reg<To>(i->d);
    const From *const a = w.reg<From>(i->a);
    const auto offset = static_cast<From>(i->imm);
    each(w, [=](unsigned l) { d[l] = static_cast<To>(static_cast<From>(a[l] + offset)); });
    return i + 1;
}

const Instr *invert(const Instr *i, Warp &w) {
    w.pred(i->d) = ~w.pred(i->a);
    return i + 1;
}

const Instr *local_address(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::uint64_t>(i->d);
    const std::uint64_t alignment = i->b, begin = (w.frame->local_at + alignment - 1) / alignment * alignment;
    const std::uint64_t at = begin + i->imm;
    each(w, [=](unsigned l) { d[l] = at; });
    return i + 1;
}

const Instr *parameter_address(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::uint64_t>(i->d);
    const auto at = reinterpret_cast<std::uint64_t>(w.block->launch.parameters.data()) + i->imm;
    each(w, [=](unsigned l) { d[l] = at; });
    return i + 1;
}

Handler extending(unsigned from, unsigned to, bool is_signed) {
    if (from == 16) {
        if (to == 32)
            return is_signed ? extend<std::int32_t, std::int16_t> : extend<std::uint32_t, std::uint16_t>;
        if (to == 64)
            return is_signed ? extend<std::int64_t, std::int16_t> : extend<std::uint64_t, std::uint16_t>;
    }
    if (from == 32 && to == 64)
        return is_signed ? extend<std::int64_t, std::int32_t> : extend<std::uint64_t, std::uint32_t>;
    return nullptr;
}

Handler narrowing(unsigned from, unsigned to) {
    if (from == 32 && to == 16) return extend<std::uint16_t, std::uint32_t>;
    if (from == 64 && to == 16) return extend<std::uint16_t, std::uint64_t>;
    if (from == 64 && to == 32) return extend<std::uint32_t, std::uint64_t>;
    return nullptr;
}

const std::unordered_map<std::string_view, Decode> &table() {
    static const auto *all = [] {
        auto *made = new std::unordered_map<std::string_view, Decode>;
        for (const auto &group :
             {integer_group(), bits_group(), float_group(), math_group(), compare_group(), convert_group(),
              move_group(), memory_group(), atomic_group(), control_group(), barrier_group(), warp_group(),
              mbarrier_group(), matrix_group(), product_group(), texture_group(), surface_group()}) {
            for (const Decoding &one : group) made->emplace(one.base, one.decode);
        }
        return made;
    }();
    return *all;
}

} // namespace

Decoder::Decoder(const Function &function, const Loaded &loaded, Body &body)
    : function(function), loaded(loaded), body(body) {}

std::uint32_t Decoder::take(std::size_t bytes) {
    const std::size_t at = (top_ + 63) / 64 * 64;
    if (at + bytes > most_frame) unknown("a function has too many registers");
    top_ = static_cast<std::uint32_t>(at + bytes);
    most_ = std::max(most_, top_);
    return static_cast<std::uint32_t>(at);
}

void Decoder::layout() {
    std::uint32_t predicates = 0;
    places_.resize(function.registers.size());
    for (std::size_t index = 0; index < places_.size(); ++index) {
        if (function.registers[index].kind == Type::predicate) places_[index] = {4 * predicates++, 1};
    }
    top_ = most_ = 4 * predicates;
    for (std::size_t index = 0; index < places_.size(); ++index) {
        const Type type = function.registers[index];
        if (type.kind == Type::predicate) continue;
        const unsigned bits = stored(type.width());
        places_[index] = {take(std::size_t{bits} / 8 * warp_size), bits};
    }
    variables_.resize(function.variables.size());
    for (std::size_t index = 0; index < variables_.size(); ++index) {
        const Variable &one = function.variables[index];
        if (one.space == Space::local) {
            body.local = (body.local + one.alignment - 1) / one.alignment * one.alignment;
            variables_[index] = static_cast<std::uint32_t>(body.local);
            body.locals.push_back({one.name, body.local, one.size});
            body.local += one.size + loaded.gap();
            body.gaps += loaded.gap();
            body.local_alignment = std::max(body.local_alignment, static_cast<std::uint32_t>(one.alignment));
            if (body.local > std::size_t{1} << 28) unknown("a function has too much local memory");
        } else if (one.space == Space::param && !function.entry) {
            variables_[index] = take(one.size * warp_size);
        } else if (one.space == Space::param) {
            // Other parameters in a kernel are those of its calls: they lie in the frame.
            const bool own = std::ranges::any_of(function.parameters, [&](const Formal &formal) {
                return !formal.in_register && formal.index == index;
            });
            if (!own) variables_[index] = take(one.size * warp_size);
        }
    }
    if (body.local) body.local += body.local_alignment - 16;
    std::size_t end = 0;
    for (const Formal &formal : function.parameters) {
        if (formal.in_register) {
            body.parameters.push_back({places_[formal.index].at, places_[formal.index].bits, true});
            continue;
        }
        const Variable &one = function.variables[formal.index];
        end = (end + one.alignment - 1) / one.alignment * one.alignment;
        body.offsets.push_back(static_cast<std::uint32_t>(end));
        end += one.size;
        if (end > std::size_t{1} << 24) unknown("a function has too many parameters");
        body.parameters_size = end;
        body.parameters.push_back({variables_[formal.index], static_cast<std::uint32_t>(one.size), false});
    }
    for (const Formal &formal : function.results) {
        body.results.push_back(
            formal.in_register
                ? FormalPlace{places_[formal.index].at, places_[formal.index].bits, true}
                : FormalPlace{variables_[formal.index],
                              static_cast<std::uint32_t>(function.variables[formal.index].size), false});
    }
    registers_end_ = top_;
}

bool Decoder::is_kernel_parameter(std::uint32_t variable, std::uint32_t &offset) const {
    if (!function.entry) return false;
    for (std::size_t index = 0; index < function.parameters.size(); ++index) {
        if (function.parameters[index].in_register || function.parameters[index].index != variable) continue;
        offset = body.offsets[index];
        return true;
    }
    return false;
}

const Operand &Decoder::operand(std::size_t index) const {
    static const Operand missing;
    return index < statement->count ? function.operands[statement->first + index] : missing;
}

bool Decoder::has(std::string_view mod) const { return std::ranges::find(mods, mod) != mods.end(); }

Type Decoder::type(std::size_t behind) const {
    for (auto mod = mods.rbegin(); mod != mods.rend(); ++mod) {
        if (const Type found = type_named(*mod); found && !behind--) return found;
    }
    return {};
}

Type Decoder::needs_type(std::size_t behind) const {
    const Type found = type(behind);
    if (!found) unknown("it has no type");
    return found;
}

void Decoder::allow(std::initializer_list<std::string_view> known) const {
    for (const std::string_view mod : mods) {
        if (!type_named(mod) && std::ranges::find(known, mod) == known.end()) unknown();
    }
}

void Decoder::unknown(std::string what) const { throw Unknown{std::move(what)}; }

unsigned Decoder::bits_of(const Operand &reg) const {
    return reg.kind == Operand::reg ? places_[reg.index].bits : 0;
}

std::uint64_t Decoder::number(const Operand &from) const {
    if (from.kind != Operand::number) unknown("a number is expected");
    return from.bits;
}

std::uint32_t Decoder::temporary(unsigned bits) { return take(std::size_t{stored(bits)} / 8 * warp_size); }

std::uint32_t Decoder::constant(std::uint64_t value, unsigned bits) {
    const unsigned width = stored(bits);
    if (width < 64) value &= (std::uint64_t{1} << width) - 1;
    const std::size_t at = (body.constants.size() + 63) / 64 * 64;
    const std::size_t bytes = std::size_t{width} / 8 * warp_size;
    if (at + bytes > most_frame) unknown("a function has too many constants");
    auto [found, made] = constants_[order(bits)].try_emplace(value, 0);
    if (made) {
        body.constants.resize(at + bytes);
        for (unsigned lane = 0; lane < warp_size; ++lane)
            std::memcpy(body.constants.data() + at + std::size_t{width} / 8 * lane, &value,
                        std::min<std::size_t>(width / 8, 8));
        found->second = static_cast<std::uint32_t>(at) | is_constant;
    }
    return found->second;
}

std::uint32_t Decoder::extended(std::uint32_t from, std::uint64_t offset) {
    const std::uint32_t at = narrow(from, 32, 64);
    body.code.back().imm = offset;
    return at;
}

std::uint32_t Decoder::narrow(std::uint32_t from, unsigned bits, unsigned to) {
    bits = stored(bits);
    to = stored(to);
    if (bits == to) return from;
    const Handler run = bits > to ? narrowing(bits, to) : extending(bits, to, false);
    if (!run) unknown("an operand has another size than the instruction");
    const std::uint32_t at = temporary(to);
    Instr &made = emit(run);
    made.d = at;
    made.a = from;
    return at;
}

std::uint64_t Decoder::variable_at(const Variable &variable) const { return loaded.place_shared(variable); }

std::uint32_t Decoder::in(const Operand &from, Type type) {
    const unsigned bits = type.width();
    switch (from.kind) {
    case Operand::reg: {
        if (from.negated) unknown("a register can't be negated");
        const Place found = places_[from.index];
        if (found.bits == 1) unknown("a predicate stands where a value is expected");
        if (found.bits < stored(bits)) unknown("an operand is smaller than the instruction's type");
        return narrow(found.at, found.bits, bits);
    }
    case Operand::number:
        if (type.is_float() && type.lanes == 1) unknown("an integer stands where a float is expected");
        return constant(from.bits, bits);
    case Operand::single: // its bits, even where an f64 is expected, as in ptxas
        return constant(from.bits, bits);
    case Operand::real:
        if (bits == 32)
            return constant(
                std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(from.bits))), 32);
        return constant(from.bits, bits);
    case Operand::special: {
        const unsigned made = bits > 32 ? 64 : 32;
        const std::uint32_t at = temporary(made);
        emit_special(*this, from.name, at, made);
        return narrow(at, made, bits);
    }
    case Operand::variable: {
        const Variable &one = function.variables[from.index];
        const auto offset = static_cast<std::uint64_t>(from.offset);
        std::uint32_t at_parameter = 0;
        if (one.space == Space::shared)
            return constant((one.size ? variable_at(one) : loaded.shared_size()) + offset, bits);
        if (one.space == Space::local || is_kernel_parameter(from.index, at_parameter)) {
            const std::uint32_t at = temporary(64);
            Instr &made = emit(one.space == Space::local ? local_address : parameter_address);
            made.d = at;
            made.b = body.local_alignment;
            made.imm = (one.space == Space::local ? variables_[from.index] : at_parameter) + offset;
            return narrow(at, 64, bits);
        }
        unknown("the address of a function's parameter can't be taken");
    }
    case Operand::symbol: {
        std::size_t at = 0;
        if (loaded.shared_variable(from.name, at))
            return constant(at + static_cast<std::uint64_t>(from.offset), bits);
        if (const auto address = loaded.address_of(from.name))
            return constant(*address + static_cast<std::uint64_t>(from.offset), bits);
        unknown(std::string(from.name) + " isn't known");
    }
    default:
        unknown("an operand isn't of a kind that it takes");
    }
}

std::uint32_t Decoder::out(const Operand &to, Type type) {
    const unsigned bits = type.width();
    if (to.kind == Operand::sink) return temporary(bits);
    if (to.kind != Operand::reg) unknown("a register is expected");
    const Place found = places_[to.index];
    if (found.bits == 1) unknown("a predicate stands where a value is expected");
    if (found.bits == stored(bits) && bits >= 16) return found.at;
    if (found.bits < stored(bits)) unknown("a register is smaller than the instruction's type");
    if (found.bits == stored(bits)) return found.at; // eight bits in sixteen: the handler extends
    const std::uint32_t at = temporary(bits);
    extensions_.push_back({at, found.at, stored(bits), found.bits, type.is_signed()});
    return at;
}

std::uint32_t Decoder::pred_in(const Operand &from) {
    std::uint32_t at = 0;
    // Clusters of one block are never asked for.
    if (from.kind == Operand::number ||
        (from.kind == Operand::special && from.name == "%is_explicit_cluster")) {
        at = take(4);
        Instr &made = emit(invert);
        made.d = at;
        made.a = constant(from.bits ? 0 : ~0ull, 32);
        return at;
    }
    if (from.kind != Operand::reg || places_[from.index].bits != 1) unknown("a predicate is expected");
    at = places_[from.index].at;
    if (!from.negated) return at;
    const std::uint32_t made_at = take(4);
    Instr &made = emit(invert);
    made.d = made_at;
    made.a = at;
    return made_at;
}

std::uint32_t Decoder::pred_out(const Operand &to) {
    if (to.kind == Operand::sink || to.kind == Operand::none) return take(4);
    if (to.kind != Operand::reg || places_[to.index].bits != 1) unknown("a predicate is expected");
    return places_[to.index].at;
}

std::uint32_t Decoder::param_place(const Operand &variable, std::uint32_t &size) const {
    std::uint32_t offset = 0;
    if (variable.kind != Operand::variable || is_kernel_parameter(variable.index, offset) ||
        function.variables[variable.index].space != Space::param)
        unknown("a parameter is expected");
    size = static_cast<std::uint32_t>(function.variables[variable.index].size);
    return variables_[variable.index];
}

Instr &Decoder::emit(Handler run) {
    Instr &made = body.code.emplace_back();
    made.run = run;
    made.line = statement ? statement->line : function.line;
    return made;
}

Extra &Decoder::extra() { return body.extras.emplace_back(); }

void Decoder::branch_around() {
    if (statement->guard == no_register || around_) return;
    around_ = true;
    if (index_ + 1 < labels_.size()) labels_[index_ + 1] = true;
    const Place found = places_[statement->guard];
    if (found.bits != 1) unknown("a predicate is expected behind '@'");
    Instr &made = emit(around);
    made.guard = found.at;
    made.flip = statement->negated ? ~0u : 0;
    target(here() - 1, index_ + 1);
}

void Decoder::trap(const std::string &what) {
    Extra &more = extra();
    more.text = std::string(statement->op) + " can't be run on the CPU" + (what.empty() ? "" : ": " + what);
    around_ = false;
    branch_around();
    emit(not_known).extra = &more;
}

void Decoder::one(std::size_t index) {
    index_ = index;
    statement = &function.statements[index];
    if (labels_[index]) emit(join);
    first_ = here();
    const std::size_t extras = body.extras.size(), fixups = fixups_.size();
    top_ = registers_end_;
    extensions_.clear();
    around_ = false;
    accesses_ = 0;
    mods.clear();
    std::string_view rest = statement->op;
    std::size_t dot = rest.find('.');
    base = rest.substr(0, dot);
    while (dot != rest.npos) {
        rest.remove_prefix(dot + 1);
        dot = rest.find('.');
        mods.push_back(rest.substr(0, dot));
    }
    try {
        const auto found = table().find(base);
        if (found == table().end()) throw Unknown{};
        found->second(*this);
        if (loaded.checks && accesses_ > 0) check::give_up(*this);
        for (const Extension &more : extensions_) {
            const Handler run = extending(more.bits, more.to_bits, more.is_signed);
            if (!run) unknown("a register has another size than the instruction's type");
            Instr &made = emit(run);
            made.d = more.to;
            made.a = more.from;
        }
        if (statement->guard != no_register && !around_) {
            const Place guard = places_[statement->guard];
            if (guard.bits != 1) unknown("a predicate is expected behind '@'");
            // All instructions of a statement share one guard. Of several, one might change the predicate:
            // they use a copy.
            std::uint32_t at = guard.at;
            const std::size_t count = here() - first_;
            if (count > 1) {
                at = take(4);
                body.code.insert(body.code.begin() + static_cast<std::ptrdiff_t>(first_), Instr{});
                Instr &copy = body.code[first_];
                copy.run = invert;
                copy.d = at;
                copy.a = guard.at;
                copy.line = statement->line;
                for (std::size_t changed = fixups; changed < fixups_.size(); ++changed)
                    ++fixups_[changed].instr;
            }
            const bool turned = statement->negated != (count > 1);
            for (std::size_t made = first_ + (count > 1); made < here(); ++made) {
                Instr &instr = body.code[made];
                instr.inner = instr.run;
                instr.run = guarded;
                instr.guard = at;
                instr.flip = turned ? ~0u : 0;
            }
        }
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
    check::begin_function(*this);
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
    if (labels_[index_]) emit(join);
    table().at("ret")(*this);
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
        for (std::uint32_t &place : one.places) fix(place);
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
        Instr &made = body->code.emplace_back();
        made.run = not_known;
        made.extra = &more;
        made.line = function.line;
    }
    return body;
}

} // namespace pygpu::host::ptx
