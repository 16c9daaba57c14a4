// Reports of the checker as text.
#include "ptx/check/reports.hpp"

#include <algorithm>

namespace pygpu::host::ptx::check {
namespace {

constexpr std::size_t most_reports = 16;

} // namespace

bool Reports::is_new(const Finding &finding) {
    std::lock_guard lock(mutex_);
    const auto entry = known_.find(finding);
    if (entry == known_.end()) return true;
    if (entry->second < all_.size())
        ++all_[entry->second].times;
    else
        ++more_;
    return false;
}

void Reports::add(const Finding &finding, Rows rows) {
    std::lock_guard lock(mutex_);
    const bool room = all_.size() < most_reports;
    const auto [entry, inserted] = known_.try_emplace(finding, room ? all_.size() : ~std::size_t{0});
    if (inserted && room)
        all_.push_back({finding.title, std::move(rows)});
    else if (!inserted && entry->second < all_.size()) // another thread came first
        ++all_[entry->second].times;
    else
        ++more_;
}

std::size_t Reports::count() {
    std::lock_guard lock(mutex_);
    return known_.size();
}

std::vector<std::string> Reports::texts() {
    std::lock_guard lock(mutex_);
    std::vector<std::string> lines;
    for (Report &one : all_) {
        if (one.times > 1) one.rows.emplace_back("times", std::to_string(one.times));
        std::size_t widest = 0;
        for (const auto &[name, said] : one.rows) widest = std::max(widest, std::string_view(name).size());
        std::string text = "check: " + std::string(one.title);
        for (const auto &[name, said] : one.rows) {
            text += "\n  " + std::string(name);
            text.append(widest + 2 - std::string_view(name).size(), ' ');
            text += said;
        }
        lines.push_back(std::move(text));
    }
    if (more_)
        lines.push_back("check: " + std::to_string(more_) + " more faults of this launch aren't shown");
    return lines;
}

} // namespace pygpu::host::ptx::check
