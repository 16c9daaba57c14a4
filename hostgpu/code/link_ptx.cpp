// Linking PTX with PTX. Grammar: PTX ISA, "Linking Directives".
#include "code/link_ptx.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pygpu::host {
namespace {

using ptx::Lexer;
using ptx::Problem;

enum class Linkage : std::uint8_t { own, visible, weak, external };

// A function or a variable of one text.
struct Symbol {
    std::string_view name;
    Linkage linkage;
    bool entry;
    bool defined;
    std::size_t begin, end; // of the statement
};

// A text, and what its first lines and its statements say.
struct Unit {
    const PtxPart *part;
    std::string_view version;
    std::string_view target;
    std::vector<Symbol> symbols{};
    std::vector<std::pair<std::size_t, std::size_t>> left_out{}; // ranges of the text: the first lines
    std::uint64_t files = 0;                                     // the highest number of a .file
};

// Reads the statements of a module; what stands in bodies is skipped.
class Scan {
public:
    explicit Scan(const PtxPart &part) : words_(part.text), unit_{&part, {}, {}} {}

    Unit run() {
        while (!words_.now.empty()) statement();
        if (unit_.version.empty()) throw Problem{unit_.part->name + ": it has no .version", 1};
        return std::move(unit_);
    }

private:
    std::size_t at() const { return static_cast<std::size_t>(words_.now.data() - unit_.part->text.data()); }

    void statement() {
        const std::size_t begin = at();
        Linkage linkage = Linkage::own;
        if (words_.now == ".visible" || words_.now == ".common") linkage = Linkage::visible;
        if (words_.now == ".weak") linkage = Linkage::weak;
        if (words_.now == ".extern") linkage = Linkage::external;
        if (linkage != Linkage::own) words_.next();
        const std::string_view word = words_.taken();
        if (word == ".version" || word == ".address_size") {
            const std::string_view value = words_.taken();
            if (word == ".version") unit_.version = value;
            unit_.left_out.emplace_back(begin, at());
        } else if (word == ".target") {
            const std::size_t first = at();
            do words_.taken();
            while (words_.take(","));
            unit_.target = std::string_view(unit_.part->text).substr(first, at() - first);
            unit_.left_out.emplace_back(begin, at());
        } else if (word == ".func" || word == ".entry") {
            function(begin, linkage, word == ".entry");
        } else if (word == ".global" || word == ".const" || word == ".shared") {
            variables(begin, linkage);
        } else if (word == ".file") {
            unit_.files = std::max(unit_.files, integer(words_));
        } else if (word == "{") {
            skip("{", "}");
        }
    }

    void function(std::size_t begin, Linkage linkage, bool entry) {
        while (words_.now.starts_with('.')) attribute();
        if (words_.take("(")) skip("(", ")");
        const std::string_view name = words_.taken();
        while (words_.now != "{" && words_.now != ";" && !words_.now.empty()) words_.next();
        const bool defined = words_.now == "{";
        words_.taken();
        if (defined) skip("{", "}");
        unit_.symbols.push_back({name, linkage, entry, defined, begin, at()});
    }

    // Several declarators make one statement, which is left out only where it has a single one.
    void variables(std::size_t begin, Linkage linkage) {
        const std::size_t first = unit_.symbols.size();
        while (words_.now.starts_with('.')) attribute();
        for (bool more = true; more;) {
            unit_.symbols.push_back({words_.taken(), linkage, false, linkage != Linkage::external, begin, 0});
            int depth = 0;
            for (; !words_.now.empty() && (depth || (words_.now != "," && words_.now != ";")); words_.next())
                depth += (words_.now == "{") - (words_.now == "}");
            more = words_.taken() == ",";
        }
        for (std::size_t i = first; i < unit_.symbols.size(); ++i) unit_.symbols[i].end = at();
    }

    // ".align 8", ".attribute(.managed)", ".v4", ".b8"
    void attribute() {
        const std::string_view word = words_.taken();
        if (word == ".align") words_.taken();
        if (words_.take("(")) skip("(", ")");
    }

    // To the end of what was opened.
    void skip(std::string_view open, std::string_view close) {
        for (int depth = 1; depth;) {
            const std::string_view word = words_.taken();
            depth += (word == open) - (word == close);
        }
    }

    Lexer words_;
    Unit unit_;
};

// Which text defines each name for all, and how many texts use a name at all.
struct Names {
    std::unordered_map<std::string_view, std::pair<const Unit *, Linkage>> defined{};
    std::unordered_map<std::string_view, std::vector<const Unit *>> used{};

    void add(const Unit &unit) {
        for (const Symbol &one : unit.symbols) {
            auto &users = used[one.name];
            if (users.empty() || users.back() != &unit) users.push_back(&unit);
            if (!one.defined || (one.linkage == Linkage::own && !one.entry)) continue;
            auto &[by, linkage] = defined[one.name];
            const bool strong = one.linkage != Linkage::weak;
            if (by && by != &unit && strong && linkage != Linkage::weak)
                throw Problem{std::string(one.name) + " is defined twice: in " + by->part->name + " and in " +
                                  unit.part->name,
                              1};
            if (!by || (strong && linkage == Linkage::weak)) by = &unit, linkage = one.linkage;
        }
    }
};

// A piece of the text, and what stands there instead.
struct Edit {
    std::size_t begin, end;
    std::string text;
};

// New names and numbers of files, word by word.
void rename_words(const Unit &unit, const std::map<std::string_view, std::string> &names, std::uint64_t files,
                  std::vector<Edit> &edits) {
    const std::string &text = unit.part->text;
    bool number = false; // of a file
    for (Lexer words(text); !words.now.empty(); words.next()) {
        const auto at = static_cast<std::size_t>(words.now.data() - text.data());
        const auto found = names.find(words.now);
        if (number && files) {
            edits.push_back(
                {at, at + words.now.size(), std::to_string(integer_of(words, words.now) + files)});
        } else if (found != names.end()) {
            edits.push_back({at, at + words.now.size(), found->second});
        }
        number = words.now == ".file" || words.now == ".loc";
    }
}

std::string edited(std::string_view text, std::vector<Edit> &edits) {
    std::ranges::stable_sort(edits, {}, &Edit::begin);
    std::string result;
    std::size_t done = 0;
    for (const Edit &one : edits) {
        if (one.begin < done) continue; // within what was left out
        result.append(text, done, one.begin - done).append(one.text);
        done = one.end;
    }
    return result.append(text, done, text.npos);
}

std::string rewritten(const Unit &unit, std::size_t number, const Names &all, std::uint64_t files) {
    std::vector<Edit> edits;
    std::map<std::string_view, std::string> names;
    for (const auto &[begin, end] : unit.left_out) edits.push_back({begin, end, ""});
    for (const Symbol &one : unit.symbols) {
        if (one.linkage == Linkage::own && !one.entry) {
            if (one.defined && all.used.at(one.name).size() > 1)
                names.try_emplace(one.name, std::string(one.name) + "$" + std::to_string(number));
        } else if (one.defined && all.defined.at(one.name).first != &unit) {
            edits.push_back({one.begin, one.end, ""});
        }
    }
    rename_words(unit, names, files, edits);
    return edited(unit.part->text, edits);
}

// 85 of "8.5".
unsigned rank_of(std::string_view text) {
    unsigned value = 0;
    for (const char one : text)
        value = Lexer::is_digit(one) ? 10 * value + static_cast<unsigned>(one - '0') : value;
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
            throw Problem{one.name + ": " + problem.what, problem.line};
        }
    }
    Names names;
    for (const Unit &one : units) names.add(one);
    const auto newest = [&](std::string_view Unit::*field) {
        return std::string(std::ranges::max(units, {}, [&](const Unit &one) { return rank_of(one.*field); }).*
                           field);
    };
    std::string text =
        ".version " + newest(&Unit::version) + "\n.target " + newest(&Unit::target) + "\n.address_size 64\n";
    std::uint64_t files = 0;
    for (std::size_t i = 0; i < units.size(); ++i) {
        text += rewritten(units[i], i, names, files);
        files += units[i].files;
    }
    return text;
}

} // namespace pygpu::host
