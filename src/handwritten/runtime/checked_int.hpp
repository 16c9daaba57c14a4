// Arithmetic on sizes that anybody may have chosen: a product or sum that leaves its type's range is noticed,
// and never wraps around to a size that fits.
#pragma once

#include <concepts>
#include <limits>

namespace pygpu {

// An integer, or the fact that a step on the way to it was out of range; what is computed from that is, too.
//
//     const CheckedInt bytes = CheckedInt(count) * itemsize + offset;
//     if (!bytes.fits()) ...
template <std::integral T> class CheckedInt {
public:
    constexpr CheckedInt(T value) : value_(value) {} // numbers take part as they are

    friend constexpr CheckedInt operator+(CheckedInt one, CheckedInt other) {
        return CheckedInt(one, other, __builtin_add_overflow(one.value_, other.value_, &one.value_));
    }
    friend constexpr CheckedInt operator-(CheckedInt one, CheckedInt other) {
        return CheckedInt(one, other, __builtin_sub_overflow(one.value_, other.value_, &one.value_));
    }
    friend constexpr CheckedInt operator*(CheckedInt one, CheckedInt other) {
        return CheckedInt(one, other, __builtin_mul_overflow(one.value_, other.value_, &one.value_));
    }
    constexpr CheckedInt &operator+=(CheckedInt other) { return *this = *this + other; }
    constexpr CheckedInt &operator*=(CheckedInt other) { return *this = *this * other; }

    constexpr bool fits() const { return fits_; }
    constexpr bool fits(T &value) const { // the value where it fits
        if (fits_) value = value_;
        return fits_;
    }
    constexpr T value_or(T other) const { return fits_ ? value_ : other; }
    // The greatest number of the type where it doesn't fit: for sizes, more than there is memory.
    constexpr T saturated() const { return value_or(std::numeric_limits<T>::max()); }

private:
    constexpr CheckedInt(const CheckedInt &result, const CheckedInt &other, bool over)
        : value_(result.value_), fits_(result.fits_ && other.fits_ && !over) {}

    T value_;
    bool fits_ = true;
};

} // namespace pygpu
