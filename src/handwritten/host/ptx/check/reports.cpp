// Reports of the checker as text.
#include "host/ptx/check/reports.hpp"

#include "host/ptx/loaded.hpp"

#include <algorithm>

namespace pygpu::host::ptx::check {
namespace {

constexpr std::size_t most_reports = 16;

std::string_view line_at(std::string_view text, std::size_t begin) {
    std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return line;
}

unsigned number_in(std::string_view &text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    unsigned number = 0;
    while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
        number = number * 10 + static_cast<unsigned>(text[0] - '0');
        text.remove_prefix(1);
    }
    return number;
}

// The name that a .file gives a number.
std::string file_named(std::string_view text, unsigned number) {
    for (std::size_t at = text.find(".file"); at != text.npos; at = text.find(".file", at + 1)) {
        std::string_view line = line_at(text, at + 5);
        if (number_in(line) != number) continue;
        const std::size_t begin = line.find('"');
        if (begin == line.npos) continue;
        const std::size_t end = line.find('"', begin + 1);
        if (end != line.npos) return std::string(line.substr(begin + 1, end - begin - 1));
    }
    return "file " + std::to_string(number);
}

} // namespace

bool Reports::is_new(const char *title, const Instr *at, const Instr *other) {
    std::lock_guard lock(mutex_);
    const auto found = known_.find({title, at, other});
    if (found == known_.end()) return true;
    if (found->second < all_.size())
        ++all_[found->second].times;
    else
        ++more_;
    return false;
}

void Reports::add(const char *title, const Instr *at, const Instr *other, Rows rows) {
    std::lock_guard lock(mutex_);
    const bool room = all_.size() < most_reports;
    const auto [found, made] = known_.try_emplace({title, at, other}, room ? all_.size() : ~std::size_t{0});
    if (made && room)
        all_.push_back({title, std::move(rows)});
    else if (!made && found->second < all_.size()) // another thread came first
        ++all_[found->second].times;
    else
        ++more_;
}

std::vector<std::string> Reports::texts() {
    std::lock_guard lock(mutex_);
    std::vector<std::string> made;
    for (Report &one : all_) {
        if (one.times > 1) one.rows.emplace_back("times", std::to_string(one.times));
        std::size_t widest = 0;
        for (const auto &[name, said] : one.rows) widest = std::max(widest, std::string_view(name).size());
        std::string text = "check: " + one.title;
        for (const auto &[name, said] : one.rows) {
            text += "\n  " + std::string(name);
            text.append(widest + 2 - std::string_view(name).size(), ' ');
            text += said;
        }
        made.push_back(std::move(text));
    }
    if (more_) made.push_back("check: " + std::to_string(more_) + " more faults of this launch aren't shown");
    return made;
}

std::string place_of(const Loaded &loaded, const Function &function, const Instr &at) {
    const std::string_view text = loaded.program->text;
    std::size_t begin = 0;
    unsigned line = 1;
    std::string_view last; // the .loc that holds there
    while (line <= at.line && begin < text.size()) {
        const std::string_view one = line_at(text, begin);
        if (line <= function.line)
            last = {};                                                  // of another function
        else if (one.starts_with(".loc ") || one.starts_with(".loc\t")) // not .local
            last = one.substr(4);
        const std::size_t end = text.find('\n', begin);
        if (end == text.npos) break;
        begin = end + 1;
        ++line;
    }
    std::string in_ptx = "line " + std::to_string(at.line) + " of its PTX";
    if (last.empty()) return in_ptx;
    const unsigned file = number_in(last);
    return file_named(text, file) + ":" + std::to_string(number_in(last)) + ", " + in_ptx;
}

} // namespace pygpu::host::ptx::check
