// The vendor's compiler behind a library of the same name.
#pragma once

#define PYGPU_EXPORT extern "C" __attribute__((visibility("default")))

namespace pygpu::compilers {

// The function of the vendor's library. Null where PYGPU_HOST_COMPILERS names no library with this one's file
// name, or the library lacks the function; a line on stderr says which.
void *find_function(const char *name);

template <typename Function> Function *vendor_function(const char *name) {
    return reinterpret_cast<Function *>(find_function(name));
}

// Whether an option names real machines ("sm_90") where it may name virtual ones, which PTX is made for.
bool names_machine(const char *option);

} // namespace pygpu::compilers

// Defines an exported function that calls the vendor's with the same arguments: none has more than six, and
// each fits into a register. Result and arguments pass through as the ABIs of x86-64 and AArch64 hand them
// over.
#define PYGPU_FORWARD(name, missing)                                                                         \
    PYGPU_EXPORT long name(long a, long b, long c, long d, long e, long f) {                                 \
        using Call = long(long, long, long, long, long, long);                                               \
        static const auto call = pygpu::compilers::vendor_function<Call>(#name);                             \
        return call ? call(a, b, c, d, e, f) : missing;                                                      \
    }
