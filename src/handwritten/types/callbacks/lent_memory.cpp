// The table of memory that is lent.
#include "types/callbacks/lent_memory.hpp"

#include "base/lock.hpp"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <unordered_map>

namespace pygpu {
namespace {

struct Lent {
    std::mutex mutex;
    std::unordered_map<const void *, std::size_t> sizes;
};

Lent &lent() {
    static auto *only = new Lent; // C may call until the process ends
    return *only;
}

} // namespace

void *lend_memory(std::size_t size) {
    void *memory = std::calloc(size, 1);
    if (!memory) return nullptr;
    const Lock lock(lent().mutex);
    lent().sizes.insert_or_assign(memory, size); // a C function may have freed former memory there
    return memory;
}

void take_back_memory(void *memory) {
    {
        const Lock lock(lent().mutex);
        if (!lent().sizes.erase(memory)) return;
    }
    std::free(memory);
}

PyObject *lent_bytes(const void *memory, std::size_t size) {
    if (!memory) Py_RETURN_NONE;
    {
        const Lock lock(lent().mutex);
        const auto known = lent().sizes.find(memory);
        if (known != lent().sizes.end()) size = std::min(size, known->second);
    }
    return PyBytes_FromStringAndSize(static_cast<const char *>(memory), static_cast<Py_ssize_t>(size));
}

} // namespace pygpu
