// Arithmetic on sizes that come from users. A product or sum that leaves the range of its type is detected.
// It never wraps around to a size that fits.
#pragma once

#include <concepts>
#include <limits>

namespace pygpu {

// An integer, or the mark that it is out of range. All that is computed from such a value is out of range,
// too.
//
//     const CheckedInt bytes = CheckedInt(count) * itemsize + offset;
//     if (!bytes.fits()) ...
template <std::integral T> class CheckedInt {
public:
    constexpr CheckedInt(T value) : value_(value) {} // implicit, so that plain numbers can be mixed in

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
    constexpr bool fits(T &value) const { // sets `value` if it fits
        if (fits_) value = value_;
        return fits_;
    }
    constexpr T value_or(T other) const { return fits_ ? value_ : other; }
    // The greatest number of the type if the value doesn't fit. As a size that is more than there is memory.
    constexpr T saturated() const { return value_or(std::numeric_limits<T>::max()); }

private:
    constexpr CheckedInt(const CheckedInt &result, const CheckedInt &other, bool over)
        : value_(result.value_), fits_(result.fits_ && other.fits_ && !over) {}

    T value_;
    bool fits_ = true;
};

} // namespace pygpu
