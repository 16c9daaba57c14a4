// printf, assert, malloc and free of kernels (CUDA C++ Programming Guide, "Formatted Output", "Assertion",
// "Dynamic Global Memory Allocation"), and setting conditions of graphs ("Conditional Graph Nodes").
#include "ptx/instructions/builtins.hpp"

#include "common/demangled.hpp"
#include "ptx/check/checker.hpp"
#include "ptx/instructions/builtin_calls.hpp"
#include "ptx/instructions/child_launches.hpp"
#include "ptx/machine/access.hpp"
#include "ptx/read/loaded.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace pygpu::host::ptx {
namespace {

constexpr std::size_t most_text = 1 << 20;
constexpr int most_width = 1 << 16; // and precision

// Reads bytes; false where the kernel may not read them.
bool read(Warp &w, std::uint64_t address, void *to, std::size_t size) {
    AddressRange hint;
    const char *const from = generic_memory(w, address, size, hint);
    if (!from) return false;
    std::memcpy(to, from, size);
    return true;
}

// Reads a string up to its end, or `most` bytes.
bool text_at(Warp &w, std::uint64_t address, std::string &to, std::size_t most = most_text) {
    to.clear();
    for (char one = 0; to.size() < most; to += one) {
        if (!read(w, address + to.size(), &one, 1)) return false;
        if (!one) return true;
    }
    return true;
}

// A width or a precision that is given among the values, by '*'. Negative ones mean the same as in C.
using Starred = std::optional<int>;

template <class T>
void append(std::string &to, const std::string &spec, Starred width, Starred precision, T value) {
    char small[128];
    const char *const form = spec.c_str();
    const auto print = [&](char *room, std::size_t size) {
        return width && precision ? std::snprintf(room, size, form, *width, *precision, value)
               : width            ? std::snprintf(room, size, form, *width, value)
               : precision        ? std::snprintf(room, size, form, *precision, value)
                                  : std::snprintf(room, size, form, value);
    };
    const int length = print(small, sizeof small);
    if (length < 0) return;
    if (static_cast<std::size_t>(length) < sizeof small) {
        to.append(small, static_cast<std::size_t>(length));
    } else if (static_cast<std::size_t>(length) < most_text) {
        std::string large(static_cast<std::size_t>(length) + 1, '\0');
        print(large.data(), large.size());
        large.pop_back();
        to += large;
    }
}

// Makes one call's text; false where an argument can't be read. Arguments are aligned to their own size.
bool format(Warp &w, const std::string &form, std::uint64_t values, std::string &to, int &count) {
    std::uint64_t at = values;
    const auto next = [&](auto &value) {
        at = (at + sizeof value - 1) / sizeof value * sizeof value;
        const bool had = read(w, at, &value, sizeof value);
        at += sizeof value;
        return had;
    };
    for (std::size_t index = 0; index < form.size(); ++index) {
        if (form[index] != '%') {
            to += form[index];
            continue;
        }
        std::string spec = "%";
        Starred width, precision;
        bool longer = false;
        int shorter = 0; // how many h
        std::size_t dot = 0;
        for (++index; index < form.size() && std::strchr("-+ #0123456789.*hljztL", form[index]); ++index) {
            const char one = form[index];
            if (one == 'l' || one == 'j' || one == 'z' || one == 't') {
                longer = true;
            } else if (one == '*') {
                std::int32_t value = 0;
                if (!next(value)) return false;
                spec += '*';
                (dot ? precision : width) = std::clamp(value, -most_width, most_width);
            } else if (one >= '1' && one <= '9') {
                int value = 0;
                for (; index < form.size() && form[index] >= '0' && form[index] <= '9'; ++index)
                    value = std::min(10 * value + (form[index] - '0'), most_width);
                --index;
                spec += std::to_string(value);
            } else if (one == 'h') {
                ++shorter;
            } else if (one != 'L') {
                if (one == '.') dot = spec.size();
                spec += one;
            }
        }
        if (spec.size() > 40) return true;
        const char kind = index < form.size() ? form[index] : '\0';
        if (kind == '%') {
            to += '%';
            continue;
        }
        ++count;
        if (kind && std::strchr("diouxX", kind)) {
            std::uint64_t value = 0;
            std::uint32_t word = 0;
            if (!(longer ? next(value) : next(word))) return false;
            if (!longer) {
                const unsigned cut = shorter > 1 ? 24 : shorter ? 16 : 0;
                value = kind == 'd' || kind == 'i' ? static_cast<std::uint64_t>(std::int64_t{
                                                         static_cast<std::int32_t>(word << cut) >> cut})
                                                   : word << cut >> cut;
            }
            append(to, spec + "ll" + kind, width, precision, static_cast<unsigned long long>(value));
        } else if (kind && std::strchr("fFeEgGaA", kind)) {
            double value = 0;
            if (!next(value)) return false;
            append(to, spec + kind, width, precision, value);
        } else if (kind == 'c') {
            std::int32_t value = 0;
            if (!next(value)) return false;
            append(to, spec + kind, width, precision, value);
        } else if (kind == 'p') {
            std::uint64_t value = 0;
            if (!next(value)) return false;
            append(to, spec + kind, width, precision, reinterpret_cast<void *>(value));
        } else if (kind == 's') {
            std::uint64_t value = 0;
            std::string text;
            if (!next(value)) return false;
            std::size_t most = most_text;
            if (precision && *precision >= 0) most = static_cast<std::size_t>(*precision);
            if (dot && !precision) most = std::strtoul(spec.c_str() + dot + 1, nullptr, 10);
            if (!value)
                text = "(null)";
            else if (!text_at(w, value, text, std::min(most, most_text)))
                return false;
            append(to, spec + kind, width, precision, text.c_str());
        } else { // as it stands
            to += spec;
            if (kind) to += kind;
        }
    }
    return true;
}

const Instr *print(const Instr *i, Warp &w) {
    std::string form, text;
    for (std::uint32_t rest = w.exec; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        int count = 0;
        if (!text_at(w, argument<std::uint64_t>(i, w, 0, l), form) ||
            !format(w, form, argument<std::uint64_t>(i, w, 1, l), text, count))
            return w.fail(Fault::illegal_address, i, "printf reads what isn't allocated", l);
        give(i, w, l, std::int32_t{count});
    }
    w.block->launch.print(text);
    return i + 1;
}

const Instr *fail_assertion(const Instr *i, Warp &w) {
    const auto l = static_cast<unsigned>(std::countr_zero(w.exec));
    std::string message, file, function;
    text_at(w, argument<std::uint64_t>(i, w, 0, l), message);
    text_at(w, argument<std::uint64_t>(i, w, 1, l), file);
    text_at(w, argument<std::uint64_t>(i, w, 3, l), function);
    return w.fail(Fault::assertion, i,
                  file + ":" + std::to_string(argument<std::uint32_t>(i, w, 2, l)) + ": " + function +
                      ": assertion `" + message + "` failed",
                  l);
}

// Where memory is allocated or freed, where that is kept.
std::string origin(const Instr *i, const Warp &w) {
    const Launch &launch = w.block->launch;
    if (!launch.origins) return {};
    const Function &function = *w.frame->body->function;
    return demangled(function.name) + ", " + launch.loaded->place_of(function, *i);
}

const Instr *allocate(const Instr *i, Warp &w) {
    const std::string place = origin(i, w);
    each_active(w, [&](unsigned l) {
        give(i, w, l, w.block->launch.memories->allocate(argument<std::uint64_t>(i, w, 0, l), place));
    });
    return i + 1;
}

const Instr *release(const Instr *i, Warp &w) {
    Launch &launch = w.block->launch;
    const std::string place = origin(i, w);
    for (std::uint32_t rest = w.exec; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        const auto address = argument<std::uint64_t>(i, w, 0, l);
        if (!address) continue;
        using Released = Memories::Released;
        const Released how = launch.memories->release(reinterpret_cast<void *>(address), place);
        if (how == Released::now) {
            ++launch.released;
            continue;
        }
        if (auto *const checker = check::checker_of(*w.block))
            checker->bad_free(*i, w, l, address, how == Released::before);
        if (how == Released::inside) continue; // as on a card, whose codes the others are, too
        return how == Released::before
                   ? w.fail(Fault::launch_failure, i, "free() of memory that was freed before", l)
                   : w.fail(Fault::illegal_address, i, "free() of an address that malloc() didn't return", l);
    }
    return i + 1;
}

const Instr *set_condition(const Instr *i, Warp &w) {
    for (std::uint32_t rest = w.exec; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        if (!w.block->launch.memories->set_condition(argument<std::uint64_t>(i, w, 0, l),
                                                     argument<std::uint32_t>(i, w, 1, l)))
            return w.fail(Fault::illegal_address, i,
                          "cudaGraphSetConditional: the handle is not a condition's", l);
    }
    return i + 1;
}

} // namespace

Handler handler_of(const Builtin &builtin) {
    switch (builtin.kind) {
    case Builtin::print:
        return print;
    case Builtin::fail_assertion:
        return fail_assertion;
    case Builtin::allocate:
        return allocate;
    case Builtin::release:
        return release;
    case Builtin::set_condition:
        return set_condition;
    default:
        return child_handler_of(builtin.kind);
    }
}

} // namespace pygpu::host::ptx
