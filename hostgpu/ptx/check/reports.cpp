// Reports of the checker as text.
#include "ptx/check/reports.hpp"

#include <algorithm>

namespace pygpu::host::ptx::check {
namespace {

constexpr std::size_t most_reports = 16;

} // namespace

bool Reports::is_new(const Finding &finding) {
    std::lock_guard lock(mutex_);
    const auto found = known_.find(finding);
    if (found == known_.end()) return true;
    if (found->second < all_.size())
        ++all_[found->second].times;
    else
        ++more_;
    return false;
}

void Reports::add(const Finding &finding, Rows rows) {
    std::lock_guard lock(mutex_);
    const bool room = all_.size() < most_reports;
    const auto [found, made] = known_.try_emplace(finding, room ? all_.size() : ~std::size_t{0});
    if (made && room)
        all_.push_back({finding.title, std::move(rows)});
    else if (!made && found->second < all_.size()) // another thread came first
        ++all_[found->second].times;
    else
        ++more_;
}

std::size_t Reports::count() {
    std::lock_guard lock(mutex_);
    return known_.size();
}

std::vector<std::string> Reports::texts() {
    std::lock_guard lock(mutex_);
    std::vector<std::string> made;
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
        made.push_back(std::move(text));
    }
    if (more_) made.push_back("check: " + std::to_string(more_) + " more faults of this launch aren't shown");
    return made;
}

} // namespace pygpu::host::ptx::check
