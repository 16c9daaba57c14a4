// Noting which bytes were written.
#include "memory/written.hpp"

#include <new>

namespace pygpu::host {

WrittenBytes::WrittenBytes(char *base, std::size_t size)
    : base_(base), flags_(static_cast<char *>(std::calloc(size, 1))) {
    if (!flags_) throw std::bad_alloc();
}

void WrittenBytes::set(const StridedBlock &to, const Size &size) { set_block(flags_of(to), size, 1, 1); }

void WrittenBytes::copy(const StridedBlock &to, WrittenBytes *other, const StridedBlock &from,
                        const Size &size) {
    if (other)
        move_block(flags_of(to), other->flags_of(from), size);
    else
        set(to, size);
}

SideTable<WrittenBytes> &written_bytes() {
    static auto *table = new SideTable<WrittenBytes>;
    return *table;
}

} // namespace pygpu::host
