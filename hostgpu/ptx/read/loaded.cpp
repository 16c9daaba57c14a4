// Addresses of functions, and places of variables in shared memory.
#include "ptx/read/loaded.hpp"

#include "common/checked_int.hpp"

#include <algorithm>
#include <atomic>
#include <set>

namespace pygpu::host::ptx {
namespace {

std::size_t aligned(std::size_t at, std::size_t to) { return (at + to - 1) / to * to; }

} // namespace

Loaded::Loaded(std::shared_ptr<const Program> from, Addresses addresses, const InstructionSet &set,
               bool with_checks)
    : program(std::move(from)), instructions(set), checks(with_checks), addresses_(std::move(addresses)) {
    static std::atomic<std::uint64_t> next{1};
    first_number_ = next.fetch_add(program->by_name.size());
    for (const auto &[name, function] : program->by_name) {
        functions_[name] = function_tag + (first_number_ + by_number_.size()) * 16;
        by_number_.push_back(function);
    }
    // Each size is counted twice: with the checker's gaps, and as the program has it.
    std::size_t end = 0, own = 0;
    const auto place = [&](const Variable &one, std::size_t &placed, std::size_t &size) {
        const std::size_t at = aligned(placed, one.alignment);
        placed = at + one.size + gap();
        size = aligned(size, one.alignment) + one.size;
        return at;
    };
    for (const Variable &one : program->shared) {
        if (!one.dynamic) shared_[one.name] = {&one, place(one, end, own)};
    }
    function_shared_ = end;
    // Variables of device functions have places of their own; those of kernels may share theirs.
    for (const bool entries : {false, true}) {
        for (const auto &function : program->functions) {
            if (function->entry != entries) continue;
            std::size_t at = end, size = own;
            for (const Variable &one : function->variables) {
                if (one.space == Space::shared && one.size) shared_of_functions_[&one] = place(one, at, size);
            }
            if (entries) static_shared_[function.get()] = size;
            if (!entries) end = at, own = size;
            function_shared_ = std::max(function_shared_, at);
        }
    }
    // Where the dynamic part may start, as ptxas has it: with any array there, in all kernels.
    std::size_t alignment = 0;
    const auto begins = [&](const Variable &one) {
        alignment = std::max({alignment, one.alignment, std::size_t{16}});
    };
    for (const Variable &one : program->shared) {
        if (one.dynamic) begins(one);
    }
    for (const auto &function : program->functions) {
        for (const Variable &one : function->variables) {
            if (one.space == Space::shared && !one.size) begins(one);
        }
    }
    if (alignment) {
        function_shared_ = aligned(function_shared_, alignment);
        for (auto &[entry, size] : static_shared_) size = aligned(size, alignment);
    }
    for (const Variable &one : program->shared) {
        if (one.dynamic) shared_[one.name] = {&one, function_shared_};
    }
}

const Sources &Loaded::sources() const {
    std::call_once(read_, [this] { sources_ = std::make_unique<Sources>(program->text); });
    return *sources_;
}

const Body &Loaded::body(const Function &function) {
    std::lock_guard lock(mutex_);
    const auto entry = bodies_.find(&function);
    if (entry != bodies_.end()) return *entry->second;
    std::unique_ptr<Body> body = decode(function, *this);
    body->number = static_cast<std::uint32_t>(bodies_.size());
    if (function.entry) body->stack = stack_of(function);
    return *bodies_.emplace(&function, std::move(body)).first->second;
}

// Without recursion each function is on the stack once at most, so the sum is enough.
std::size_t Loaded::stack_of(const Function &entry) const {
    CheckedInt<std::size_t> size = 0;
    std::set<const Function *> known{&entry};
    std::vector<const Function *> waiting{&entry};
    const auto may_call = [&](const Function *one) {
        if (known.insert(one).second) waiting.push_back(one);
    };
    while (!waiting.empty()) {
        const Function &function = *waiting.back();
        waiting.pop_back();
        for (const Variable &one : function.variables) {
            if (one.space == Space::local) size += CheckedInt(one.size) + one.alignment;
        }
        size += 32; // a call's own bytes
        for (const Statement &one : function.statements) {
            if (!one.op.starts_with("call")) continue;
            const Operand *const operands = function.operands.data() + one.first;
            const bool returns = one.count && operands->kind == Operand::list;
            if (one.count <= returns) continue;
            const Operand &callee = operands[returns];
            if (callee.kind == Operand::symbol) {
                const auto entry = program->by_name.find(callee.name);
                if (entry != program->by_name.end()) may_call(entry->second);
            } else { // by a pointer
                for (const Function *any : by_number_) may_call(any);
            }
        }
    }
    return size.saturated();
}

const Function *Loaded::function_at(std::uint64_t address) const {
    const std::uint64_t index = (address - function_tag) / 16 - first_number_;
    return address % 16 || index >= by_number_.size() ? nullptr : by_number_[index];
}

std::optional<std::uint64_t> Loaded::address_of(std::string_view name) const {
    if (const auto entry = addresses_.find(std::string(name)); entry != addresses_.end())
        return entry->second;
    if (const auto entry = functions_.find(name); entry != functions_.end()) return entry->second;
    return {};
}

std::optional<std::string_view> Loaded::name_at(std::uint64_t address) const {
    for (const auto &[name, at] : addresses_) {
        if (at == address) return name;
    }
    return {};
}

const Variable *Loaded::shared_variable(std::string_view name, std::size_t &at) const {
    const auto entry = shared_.find(name);
    if (entry == shared_.end()) return nullptr;
    at = entry->second.second;
    return entry->second.first;
}

std::size_t Loaded::constant_size() const {
    std::size_t size = 0;
    for (const Global &one : program->globals) {
        if (one.constant) size = aligned(size, one.alignment) + one.size;
    }
    return size;
}

std::size_t Loaded::static_shared(const Function &entry) const {
    const auto it = static_shared_.find(&entry);
    return it == static_shared_.end() ? 0 : it->second;
}

std::size_t Loaded::place_shared(const Variable &variable) const {
    const auto entry = shared_of_functions_.find(&variable);
    return entry == shared_of_functions_.end() ? function_shared_ : entry->second;
}

} // namespace pygpu::host::ptx
