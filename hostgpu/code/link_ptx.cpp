// Linking PTX with PTX. Grammar: PTX ISA, "Linking Directives".
#include "code/link_ptx.hpp"

#include "common/demangled.hpp"
#include "common/ptx/declaration.hpp"
#include "common/ptx/lexer.hpp"
#include "ptx/read/builtins.hpp"
#include "ptx/read/device_runtime.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace pygpu::host {
namespace {

using pygpu::ptx::Lexer;
using pygpu::ptx::Problem;

// Who knows a definition. The later kinds win over the earlier ones.
enum class Linkage : std::uint8_t { own, external, weak, common, visible };

struct Range {
    std::size_t begin, end; // of a text
};

// A function or a variable of one text.
struct Symbol {
    std::string_view name;
    Linkage linkage;
    bool entry = false, defined = false, shared = false, initialized = false;
    std::size_t size = 0; // of a variable
    Range statement{};
    Range declarator{}; // of a variable: a statement may have several
};

// A text, and what its first lines and its statements say.
struct Unit {
    const PtxPart *part;
    std::string_view version{}, target{};
    std::vector<Symbol> symbols{};
    std::vector<Range> first_lines{};
    std::uint64_t files = 0; // the highest number of a .file

    bool is_known_to_others(const Symbol &one) const { return one.linkage != Linkage::own || one.entry; }
};

// Reads the statements of a module; what stands in bodies is skipped.
class Scan {
public:
    explicit Scan(const PtxPart &part) : words_(part.text), unit_{&part} {}

    Unit run() {
        while (!words_.now.empty()) statement();
        if (unit_.version.empty()) words_.fail("it has no .version");
        return std::move(unit_);
    }

private:
    std::size_t at() const { return static_cast<std::size_t>(words_.now.data() - unit_.part->text.data()); }

    void statement() {
        const std::size_t begin = at();
        const Linkage linkage = words_.now == ".visible"  ? Linkage::visible
                                : words_.now == ".common" ? Linkage::common
                                : words_.now == ".weak"   ? Linkage::weak
                                : words_.now == ".extern" ? Linkage::external
                                                          : Linkage::own;
        if (linkage != Linkage::own) words_.next();
        const std::string_view word = words_.taken();
        if (word == ".version" || word == ".address_size") {
            const std::string_view value = words_.taken();
            if (word == ".version") unit_.version = value;
            unit_.first_lines.push_back({begin, at()});
        } else if (word == ".target") {
            const std::size_t first = at();
            std::string_view last;
            do last = words_.taken();
            while (words_.take(","));
            const std::string_view text = unit_.part->text;
            const auto end = static_cast<std::size_t>(last.data() - text.data()) + last.size();
            unit_.target = text.substr(first, end - first);
            unit_.first_lines.push_back({begin, at()});
        } else if (word == ".func" || word == ".entry") {
            function(begin, linkage, word == ".entry");
        } else if (word == ".global" || word == ".const" || word == ".shared") {
            variables(begin, linkage, word == ".shared");
        } else if (word == ".file") {
            unit_.files = std::max(unit_.files, pygpu::ptx::integer(words_));
        } else if (word == ".alias") {
            words_.fail("an .alias can't be linked");
        } else if (word == "{") {
            pygpu::ptx::skip(words_, "{", "}");
        }
    }

    void function(std::size_t begin, Linkage linkage, bool entry) {
        while (words_.now.starts_with('.')) {
            words_.next();
            if (words_.take("(")) pygpu::ptx::skip(words_, "(", ")");
        }
        if (words_.take("(")) pygpu::ptx::skip(words_, "(", ")");
        Symbol one{words_.taken(), linkage, entry};
        while (words_.now != "{" && words_.now != ";") {
            const std::string_view word = words_.taken();
            if (word != ".pragma" && word != ".callprototype") continue;
            while (words_.taken() != ";") {
            }
        }
        one.defined = words_.taken() == "{";
        if (one.defined) pygpu::ptx::skip(words_, "{", "}");
        one.statement = {begin, at()};
        unit_.symbols.push_back(one);
    }

    void variables(std::size_t begin, Linkage linkage, bool shared) {
        const std::size_t first = unit_.symbols.size();
        const pygpu::ptx::Declaration of = pygpu::ptx::declaration(words_);
        do {
            Symbol one{{}, linkage};
            one.declarator.begin = at();
            const pygpu::ptx::Declarator variable = pygpu::ptx::declarator(words_, of);
            one.name = variable.name;
            one.size = variable.size;
            one.defined = linkage != Linkage::external;
            one.shared = shared;
            one.initialized = words_.now == "=";
            for (int depth = 0; depth || (words_.now != "," && words_.now != ";");) {
                const std::string_view word = words_.taken();
                depth += (word == "{" || word == "(") - (word == "}" || word == ")");
            }
            one.declarator.end = at();
            unit_.symbols.push_back(one);
        } while (words_.take(","));
        words_.expect(";");
        for (std::size_t i = first; i < unit_.symbols.size(); ++i) unit_.symbols[i].statement = {begin, at()};
    }

    Lexer words_;
    Unit unit_;
};

// A word of a text with its neighbours, for telling names from what only looks like one.
struct Word {
    std::string_view before_previous{}, previous{}, text{}, next{};
    std::size_t at = 0;

    // Opcodes, labels, ranges of registers, and the operator generic().
    bool may_be_name() const {
        const bool in_list = previous == "{" && (next == "," || next == "}");
        const bool starts_statement = previous == ";" || previous == "}" || previous == ":" ||
                                      (previous == "{" && !in_list) || before_previous == "@" ||
                                      before_previous == "!";
        return !starts_statement && next != "<" && !(text == "generic" && next == "(");
    }
};

template <class Visit> void each_word(std::string_view text, Visit visit) {
    Word word;
    for (Lexer words(text); !words.now.empty();) {
        word.text = words.now;
        word.at = static_cast<std::size_t>(words.now.data() - text.data());
        words.next();
        word.next = words.now;
        visit(word);
        word.before_previous = word.previous;
        word.previous = word.text;
    }
}

// The names of all texts: which text defines one for all, which texts use one, and what was newly given out.
class Names {
public:
    void add(const Unit &unit) {
        for (const Symbol &one : unit.symbols) {
            auto &users = users_[one.name];
            if (users.empty() || users.back() != &unit) users.push_back(&unit);
            if (!one.defined || !unit.is_known_to_others(one)) continue;
            const auto [entry, is_new] = definitions_.try_emplace(one.name, Definition{&unit, &one});
            if (!is_new) choose(entry->second, {&unit, &one});
        }
    }

    bool defines(std::string_view name) const { return definitions_.contains(name); }
    // Whether another text has the definition that stays.
    bool gives_way(const Unit &unit, const Symbol &one) const {
        return one.defined && unit.is_known_to_others(one) && definitions_.at(one.name).unit != &unit;
    }
    bool is_shared_name(std::string_view name) const { return users_.at(name).size() > 1; }

    std::string fresh(std::string_view name) {
        for (unsigned number = 0;; ++number) {
            std::string one = std::string(name) + "$" + std::to_string(number);
            if (!users_.contains(one) && given_.insert(one).second) return one;
        }
    }

private:
    struct Definition {
        const Unit *unit;
        const Symbol *symbol;
    };

    static void choose(Definition &best, const Definition &other) {
        const Symbol &one = *best.symbol, &two = *other.symbol;
        const auto strong = [](const Symbol &symbol) {
            return symbol.linkage == Linkage::visible || symbol.linkage == Linkage::own;
        };
        if (strong(one) && strong(two))
            throw Problem{demangled(one.name) + " is defined twice: in " + best.unit->part->name +
                              " and in " + other.unit->part->name,
                          1};
        const auto rank = [&](const Symbol &symbol) {
            const bool common = symbol.linkage == Linkage::common;
            return std::tuple(strong(symbol), symbol.linkage, common && symbol.initialized,
                              common ? symbol.size : 0);
        };
        if (rank(two) > rank(one)) best = other;
    }

    std::unordered_map<std::string_view, Definition> definitions_{};
    std::unordered_map<std::string_view, std::vector<const Unit *>> users_{};
    std::set<std::string> given_{};
};

// Throws where the text uses what it declares and nobody defines.
void check_uses(const Unit &unit, const Names &names) {
    std::unordered_map<std::string_view, std::vector<Range>> missing;
    for (const Symbol &one : unit.symbols) {
        const bool brought = ptx::builtin_named(one.name) || ptx::is_in_device_runtime(one.name);
        if (!one.defined && !one.shared && !names.defines(one.name) && !brought)
            missing[one.name].push_back(one.statement);
    }
    for (const Symbol &one : unit.symbols) {
        if (one.defined) missing.erase(one.name);
    }
    each_word(unit.part->text, [&](const Word &word) {
        const auto found = missing.find(word.text);
        if (found == missing.end() || !word.may_be_name()) return;
        const auto holds = [&](const Range &one) { return one.begin <= word.at && word.at < one.end; };
        if (std::ranges::none_of(found->second, holds))
            throw Problem{unit.part->name + ": " + demangled(word.text) +
                              " is declared and used, but no part defines it",
                          1};
    });
}

// A piece of the text, and what stands there instead.
struct Edit {
    Range range;
    std::string text{};
};

// Leaves out what gives way: whole statements, and single declarators of others.
void leave_out(const Unit &unit, const Names &names, std::vector<Edit> &edits) {
    const auto &all = unit.symbols;
    for (std::size_t first = 0, last = 0; first < all.size(); first = last) {
        while (last < all.size() && all[last].statement.begin == all[first].statement.begin) ++last;
        std::size_t end = 0; // of the text that is settled; 0 until a declarator stays
        for (std::size_t i = first; i < last; ++i) {
            if (names.gives_way(unit, all[i])) continue;
            if (!end && i > first) edits.push_back({{all[first].declarator.begin, all[i].declarator.begin}});
            if (end && end != all[i - 1].declarator.end) edits.push_back({{end, all[i - 1].declarator.end}});
            end = all[i].declarator.end;
            if (!all[i].declarator.end) end = all[i].statement.end; // a function
        }
        if (!end) {
            edits.push_back({all[first].statement});
        } else if (all[first].declarator.end && end != all[last - 1].declarator.end) {
            edits.push_back({{end, all[last - 1].declarator.end}});
        }
    }
}

// New names, and new numbers of files.
void rename_words(const Unit &unit, const std::map<std::string_view, std::string> &names, std::uint64_t files,
                  std::vector<Edit> &edits) {
    each_word(unit.part->text, [&](const Word &word) {
        const Range range{word.at, word.at + word.text.size()};
        const bool is_file =
            word.previous == ".file" || word.previous == ".loc" || word.previous == "inlined_at";
        if (is_file && files && Lexer::is_digit(word.text[0])) {
            edits.push_back({range, std::to_string(std::stoull(std::string(word.text)) + files)});
        } else if (const auto found = names.find(word.text); found != names.end() && word.may_be_name()) {
            edits.push_back({range, found->second});
        }
    });
}

std::string edited(std::string_view text, std::vector<Edit> &edits) {
    std::ranges::stable_sort(edits, {}, [](const Edit &one) { return one.range.begin; });
    std::string result;
    std::size_t done = 0;
    for (const Edit &one : edits) {
        if (one.range.begin < done) continue; // within what was left out
        result.append(text, done, one.range.begin - done).append(one.text);
        done = one.range.end;
    }
    return result.append(text, done, text.npos);
}

std::string rewritten(const Unit &unit, Names &all, std::uint64_t files) {
    std::vector<Edit> edits;
    std::map<std::string_view, std::string> names;
    edits.reserve(unit.first_lines.size());
    for (const Range &one : unit.first_lines) edits.push_back({one});
    for (const Symbol &one : unit.symbols) {
        if (one.defined && !unit.is_known_to_others(one) && all.is_shared_name(one.name) &&
            !names.contains(one.name))
            names.emplace(one.name, all.fresh(one.name));
    }
    leave_out(unit, all, edits);
    rename_words(unit, names, files, edits);
    return edited(unit.part->text, edits);
}

// 85 of "8.5", 90 of "sm_90a, debug".
unsigned rank_of(std::string_view text) {
    unsigned value = 0;
    for (const char one : text.substr(0, text.find(','))) {
        if (Lexer::is_digit(one)) value = 10 * value + static_cast<unsigned>(one - '0');
    }
    return value;
}

} // namespace

std::string link_ptx(std::span<const PtxPart> parts) {
    std::vector<Unit> units;
    units.reserve(parts.size());
    for (const PtxPart &one : parts) {
        try {
            units.push_back(Scan(one).run());
        } catch (const Problem &problem) {
            throw Problem{one.name + ", line " + std::to_string(problem.line) + ": " + problem.what,
                          problem.line};
        }
    }
    Names names;
    for (const Unit &one : units) names.add(one);
    for (const Unit &one : units) check_uses(one, names);
    const auto newest = [&](std::string_view Unit::*field) {
        return std::string(std::ranges::max(units, {}, [&](const Unit &one) { return rank_of(one.*field); }).*
                           field);
    };
    std::string text =
        ".version " + newest(&Unit::version) + "\n.target " + newest(&Unit::target) + "\n.address_size 64\n";
    std::uint64_t files = 0;
    for (const Unit &one : units) {
        text += rewritten(one, names, files) + "\n";
        files += one.files;
    }
    return text;
}

} // namespace pygpu::host
