// Large ordinary memory of the host: what is freed is kept, and used again.
//
// A fresh page costs a fault and is filled with zeros first: on fresh memory a copy runs at a third of its
// speed (3.5 of 11 GB/s on a virtual machine of two processors). Huge pages are asked for, and need fewer
// faults.
#pragma once

#include <cstddef>

namespace pygpu::arrays {

// From here on memory comes in huge pages: malloc() itself reuses smaller pieces.
inline constexpr std::size_t least_in_huge_pages = std::size_t{32} << 20;

// The bytes of whole huge pages for a size; false where that is too large for any machine.
bool in_huge_pages(std::size_t size, std::size_t &capacity);

struct HugePages {
    char *memory; // null where there is none
    bool fresh;   // its pages come with the first use
};

// Of an in_huge_pages() capacity; the contents are anything.
HugePages take_huge_pages(std::size_t capacity);
// Takes its time where the memory isn't kept: each page is given back.
void give_huge_pages(void *memory, std::size_t capacity);

// Gives what is kept back to the system.
void free_kept_huge_pages();

} // namespace pygpu::arrays
