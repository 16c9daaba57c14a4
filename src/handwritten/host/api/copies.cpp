// Flat and pitched copies and sets.
#include "host/api/api.hpp"

#include "host/api/transfer.hpp"

namespace pygpu::host::api {

Status Memcpy(void *to, const void *from, std::size_t count, int kind) {
    return transfer(stream_of(nullptr), flat(to), flat(from), {count, 1, 1}, kind, Return::after_host);
}

Status Memset(void *pointer, int value, std::size_t count) {
    return set(stream_of(nullptr), flat(pointer), {count, 1, 1}, static_cast<unsigned>(value) & 0xff, 1,
               Return::after_host);
}

} // namespace pygpu::host::api
