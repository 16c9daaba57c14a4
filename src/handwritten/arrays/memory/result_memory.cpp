// Mapping, keeping and lending the memory of results.
#include "arrays/memory/result_memory.hpp"

#include "python/gil.hpp"
#include "python/heap_type.hpp"
#include "python/lock.hpp"
#include "runtime/checked_int.hpp"
#include "runtime/generation.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace pygpu::arrays {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

struct Object {
    PyObject_HEAD
    void *memory;
    std::size_t capacity, size;
};

Object &object_of(PyObject *self) { return *reinterpret_cast<Object *>(self); }

PyTypeObject *type = nullptr;

struct Kept {
    std::mutex mutex;
    std::multimap<std::size_t, void *> pieces; // by capacity
    std::size_t bytes = 0;
};

Kept &kept() {
    static auto *all = new Kept; // outlives every static destructor
    return *all;
}

// At most 1 GiB, and a 32nd of the machine's memory.
std::size_t most_kept() {
    static const std::size_t most = [] {
        const auto pages = static_cast<std::size_t>(std::max(sysconf(_SC_PHYS_PAGES), 0L));
        const auto page = static_cast<std::size_t>(std::max(sysconf(_SC_PAGESIZE), 0L));
        return std::min(pages * page / 32, std::size_t{1} << 30);
    }();
    return most;
}

void *take_kept(std::size_t capacity) {
    if (in_child()) return nullptr;
    Kept &all = kept();
    const Lock lock(all.mutex);
    const auto found = all.pieces.find(capacity);
    if (found == all.pieces.end()) return nullptr;
    void *memory = found->second;
    all.bytes -= capacity;
    all.pieces.erase(found);
    return memory;
}

// The pieces that make room for it go; false where it is too large itself.
bool keep(void *memory, std::size_t capacity) try {
    if (in_child() || capacity > most_kept()) return false;
    std::vector<std::pair<std::size_t, void *>> gone;
    {
        Kept &all = kept();
        const Lock lock(all.mutex);
        while (all.bytes + capacity > most_kept()) {
            const auto first = all.pieces.begin();
            gone.push_back(*first);
            all.bytes -= first->first;
            all.pieces.erase(first);
        }
        all.pieces.emplace(capacity, memory);
        all.bytes += capacity;
    }
    GilReleased released(true); // takes its time: each page is given back
    for (const auto &[size, piece] : gone) munmap(piece, size);
    return true;
} catch (const std::bad_alloc &) {
    return false;
}

// Aligned to huge pages: what lies before and behind is given back.
void *map(std::size_t capacity) {
    std::size_t size = 0;
    if (!(CheckedInt(capacity) + huge_page).fits(size)) return nullptr;
    void *mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return nullptr;
    auto *begin = static_cast<char *>(mapped);
    const std::size_t before = (huge_page - reinterpret_cast<std::size_t>(begin) % huge_page) % huge_page;
    if (before) munmap(begin, before);
    munmap(begin + before + capacity, huge_page - before);
    madvise(begin + before, capacity, MADV_HUGEPAGE); // advice: it may be refused
    return begin + before;
}

int get_buffer(PyObject *self, Py_buffer *view, int flags) {
    const Object &object = object_of(self);
    return PyBuffer_FillInfo(view, self, object.memory, static_cast<Py_ssize_t>(object.size), 0, flags);
}

void destroy(PyObject *self) {
    const Object &object = object_of(self);
    if (object.memory && !keep(object.memory, object.capacity)) {
        GilReleased released(true);
        munmap(object.memory, object.capacity);
    }
    PyTypeObject *kind = Py_TYPE(self);
    kind->tp_free(self);
    Py_DECREF(kind);
}

} // namespace

PyTypeObject *result_memory_type() {
    if (type) return type;
    PyType_Slot slots[] = {
        {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
        {Py_bf_getbuffer, reinterpret_cast<void *>(get_buffer)},
        {Py_tp_doc, const_cast<char *>("Memory of the host that a result of get() lies in; freed with it.")},
        {0, nullptr}};
    return type = make_type("PyGPU._core.arrays.ResultMemory", sizeof(Object),
                            Py_TPFLAGS_DISALLOW_INSTANTIATION, slots);
}

PyObject *make_result_memory(std::size_t size) {
    PyTypeObject *kind = result_memory_type();
    std::size_t capacity = 0;
    if (!kind) return nullptr;
    if (!(CheckedInt(size) + (huge_page - 1)).fits(capacity)) return PyErr_NoMemory();
    capacity -= capacity % huge_page;
    PyObject *self = kind->tp_alloc(kind, 0);
    if (!self) return nullptr;
    Object &object = object_of(self);
    object.size = size;
    object.capacity = capacity;
    object.memory = take_kept(capacity);
    if (!object.memory) object.memory = map(capacity);
    if (!object.memory) {
        free_kept_results(); // which may be what is missing
        object.memory = map(capacity);
    }
    if (object.memory) return self;
    Py_DECREF(self);
    return PyErr_NoMemory();
}

void free_kept_results() {
    if (in_child()) return;
    std::multimap<std::size_t, void *> pieces;
    {
        Kept &all = kept();
        const Lock lock(all.mutex);
        pieces.swap(all.pieces);
        all.bytes = 0;
    }
    for (const auto &[capacity, memory] : pieces) munmap(memory, capacity);
}

} // namespace pygpu::arrays
