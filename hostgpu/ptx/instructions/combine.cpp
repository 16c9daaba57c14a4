// Reductions of single elements in memory, for asynchronous copies that combine.
#include "ptx/instructions/combine.hpp"

#include <string_view>

namespace pygpu::host::ptx {
namespace {

template <class T, class Combine> void reduce(char *to, const char *from, Operation op) {
    T operand;
    __builtin_memcpy(&operand, from, sizeof operand);
    auto *const at = reinterpret_cast<Bits<T> *>(to);
    Bits<T> old = __atomic_load_n(at, __ATOMIC_SEQ_CST);
    for (;;) {
        const T result = Combine::apply(op, std::bit_cast<T>(old), operand, operand);
        if (__atomic_compare_exchange_n(at, &old, std::bit_cast<Bits<T>>(result), false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST))
            return;
    }
}

} // namespace

Reduce reducer_of(Type type, Operation op) {
    if (type.lanes != 1 || op == exchange || op == compare) return nullptr;
    const bool adds = op == add, orders = op == minimum || op == maximum;
    if (type.is_float()) {
        if (type.bits == 16 && (adds || orders))
            return type.kind == Type::brain ? reduce<std::uint16_t, OfHalves<Brain, std::uint16_t>>
                                            : reduce<std::uint16_t, OfHalves<Half, std::uint16_t>>;
        if (!adds) return nullptr;
        return type.bits == 32 ? reduce<float, Sum<float>> : reduce<double, Sum<double>>;
    }
    if (type.bits == 32)
        return type.is_signed() ? reduce<std::int32_t, Plain<std::int32_t>>
                                : reduce<std::uint32_t, Plain<std::uint32_t>>;
    if (type.bits == 64)
        return type.is_signed() ? reduce<std::int64_t, Plain<std::int64_t>>
                                : reduce<std::uint64_t, Plain<std::uint64_t>>;
    return nullptr;
}

bool operation_named(std::string_view name, Operation &op) {
    struct Named {
        std::string_view name;
        Operation op;
    };
    static constexpr Named all[] = {
        {"add", add},     {"min", minimum},   {"max", maximum}, {"and", bit_and},   {"or", bit_or},
        {"xor", bit_xor}, {"exch", exchange}, {"cas", compare}, {"inc", increment}, {"dec", decrement}};
    for (const Named &one : all) {
        if (one.name != name) continue;
        op = one.op;
        return true;
    }
    return false;
}

} // namespace pygpu::host::ptx
