// Files by memfd_create(): memory without a name that several processes map. What comes from elsewhere may be
// forged, so only files that this library made are taken. Their size is sealed, so that nobody's ftruncate()
// can end a process that uses them.
#pragma once

#include <cstddef>

namespace pygpu::host {

// The descriptor of a new file, all zero, with its size sealed; -1 where the system has none.
int make_memory_file(const char *name, std::size_t size);

// Whether a descriptor is of a file of that name that make_memory_file() made for this user. The descriptor
// may be one that only says where the file is (O_PATH); then the seals remain to be checked.
bool is_memory_file(int descriptor, const char *name);
bool has_sealed_size(int descriptor);

// Writes bytes at an offset of the file; false where the system refuses.
bool write_file(int descriptor, const void *from, std::size_t size, std::size_t offset);

std::size_t whole_pages(std::size_t size);

} // namespace pygpu::host
