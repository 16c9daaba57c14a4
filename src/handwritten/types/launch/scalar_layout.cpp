// A small table of scalar types, read without a lock.
#include "types/launch/scalar_layout.hpp"

#include "python/lock.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string_view>

namespace pygpu {
namespace {

struct Layout {
    PyTypeObject *type = nullptr;
    std::size_t offset = 0;
    std::size_t size = 0;
    Written written = Written::unknown;
};

// numpy has 24 scalar types. Static types are never freed, so that no address is another type's later.
std::array<Layout, 32> layouts;
std::atomic<std::size_t> known{0}; // written with `mutex` held, after the entry
std::mutex mutex;

const Layout *layout_of(PyTypeObject *type) {
    const std::size_t count = known.load(std::memory_order_acquire);
    for (std::size_t at = 0; at < count; ++at) {
        if (layouts[at].type == type) return &layouts[at];
    }
    return nullptr;
}

} // namespace

// The letters are those of the struct module, with numpy's for complex numbers and ctypes' for pointers.
Written written_as(const char *format) {
    const std::string_view whole = format ? format : "";
    const std::size_t begin = std::min(whole.find_first_not_of("@=<>!|"), whole.size());
    const std::string_view type = whole.substr(begin);
    if (type.starts_with('&') || type == "X{}") return Written::pointer;
    if (type.starts_with('Z')) return Written::complex;
    if (type.size() != 1) return Written::unknown;
    if (std::string_view("?cbBhHiIlLqQnNu").find(type[0]) != type.npos) return Written::integer;
    if (std::string_view("efdg").find(type[0]) != type.npos) return Written::real;
    return type[0] == 'P' || type[0] == 'z' ? Written::pointer : Written::unknown;
}

ScalarBytes scalar_bytes(PyObject *object) {
    const Layout *layout = layout_of(Py_TYPE(object));
    if (!layout) return {};
    return {reinterpret_cast<const std::byte *>(object) + layout->offset, layout->size, layout->written};
}

void learn_scalar(PyObject *object, const Py_buffer &buffer) {
    PyTypeObject *type = Py_TYPE(object);
    const auto start = reinterpret_cast<std::uintptr_t>(object),
               at = reinterpret_cast<std::uintptr_t>(buffer.buf);
    const bool inside =
        at >= start + sizeof(PyObject) && !type->tp_itemsize && buffer.len > 0 &&
        at + static_cast<std::size_t>(buffer.len) <= start + static_cast<std::size_t>(type->tp_basicsize);
    if (!inside || !buffer.readonly || type->tp_flags & Py_TPFLAGS_HEAPTYPE) return;
    const Lock lock(mutex);
    const std::size_t count = known.load(std::memory_order_relaxed);
    if (count == layouts.size() || layout_of(type)) return;
    layouts[count] = {type, at - start, static_cast<std::size_t>(buffer.len), written_as(buffer.format)};
    known.store(count + 1, std::memory_order_release);
}

} // namespace pygpu
