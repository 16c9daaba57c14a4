// A range of addresses, and whether it may be written to.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pygpu::host {

struct AddressRange {
    std::uintptr_t begin = 0, end = 0;
    bool writable = true;

    bool has(std::uintptr_t address, std::size_t size) const {
        return address >= begin && address <= end && size <= end - address;
    }
};

} // namespace pygpu::host
