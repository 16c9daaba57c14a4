// The kinds of objects that stand for PyGPU's own memory.
#include "arrays/memory/known_memory.hpp"

#include <vector>

namespace pygpu::arrays {
namespace {

std::vector<BufferOf> kinds; // guarded by the GIL

} // namespace

void add_known_memory(BufferOf buffer_of) { kinds.push_back(buffer_of); }

Buffer *known_memory(PyObject *object, char *&begin) {
    for (const BufferOf buffer_of : kinds) {
        if (Buffer *buffer = buffer_of(object, begin)) return buffer;
    }
    return nullptr;
}

} // namespace pygpu::arrays
