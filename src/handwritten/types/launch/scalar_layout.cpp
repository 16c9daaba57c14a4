// A small table of scalar types, read without a lock.
#include "types/launch/scalar_layout.hpp"

#include "convert/c_types.hpp"
#include "python/lock.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string_view>

namespace pygpu {
namespace {

struct Layout {
    PyTypeObject *type = nullptr;
    std::size_t offset = 0;
    std::size_t size = 0;
    Written written = Written::unknown;
    bool is_address = false; // of the bytes: what lies there
};

// numpy has 24 scalar types, ctypes about as many. None is ever freed: no address is another type's later.
std::array<Layout, 64> layouts;
std::atomic<std::size_t> known{0}; // written with `mutex` held, after the entry
std::mutex mutex;

const Layout *layout_of(PyTypeObject *type) {
    const std::size_t count = known.load(std::memory_order_acquire);
    for (std::size_t at = 0; at < count; ++at) {
        if (layouts[at].type == type) return &layouts[at];
    }
    return nullptr;
}

// The letters are those of the struct module, with numpy's for complex numbers and ctypes' for pointers.
constexpr std::array<Written, 256> letters = [] {
    std::array<Written, 256> all{};
    const auto set = [&](std::string_view some, Written written) {
        for (const char letter : some) all[static_cast<unsigned char>(letter)] = written;
    };
    set("?cbBhHiIlLqQnNu", Written::integer);
    set("efdg", Written::real);
    set("Z", Written::complex);
    set("Pz&", Written::pointer);
    return all;
}();

// Only a value that is read-only, lies inside the object, and whose type is static (as numpy's are), lies at
// the same place in every object of its type.
bool lies_inside(PyObject *object, const Py_buffer &buffer) {
    const PyTypeObject *type = Py_TYPE(object);
    const auto start = reinterpret_cast<std::uintptr_t>(object),
               at = reinterpret_cast<std::uintptr_t>(buffer.buf);
    return buffer.readonly && !(type->tp_flags & Py_TPFLAGS_HEAPTYPE) && at >= start + sizeof(PyObject) &&
           !type->tp_itemsize && buffer.len > 0 &&
           at + static_cast<std::size_t>(buffer.len) <= start + static_cast<std::size_t>(type->tp_basicsize);
}

// The address is the first word of ctypes' objects. A user's class may end, and its address be another's.
bool leads_to_bytes(PyObject *object, const Py_buffer &buffer) {
    if (!is_c_scalar(object) || !is_of_ctypes(Py_TYPE(object))) return false;
    const void *word;
    std::memcpy(&word, object + 1, sizeof word);
    return word && word == buffer.buf && buffer.len > 0;
}

} // namespace

Written written_as(const char *format) {
    if (!format) return Written::unknown;
    if (std::string_view("@=<>!|").find(*format) != std::string_view::npos) ++format;
    const Written written = letters[static_cast<unsigned char>(*format)];
    if (*format == '&' || *format == 'Z') return written; // more letters follow
    if (*format && !format[1]) return written;
    return std::string_view(format) == "X{}" ? Written::pointer : Written::unknown; // a function
}

ScalarBytes scalar_bytes(PyObject *object) {
    const Layout *layout = layout_of(Py_TYPE(object));
    if (!layout) return {};
    const std::byte *place = reinterpret_cast<const std::byte *>(object) + layout->offset;
    return {layout->is_address ? *reinterpret_cast<void *const *>(place) : place, layout->size,
            layout->written};
}

void learn_scalar(PyObject *object, const Py_buffer &buffer) {
    const bool is_address = leads_to_bytes(object, buffer);
    if (!is_address && !lies_inside(object, buffer)) return;
    PyTypeObject *type = Py_TYPE(object);
    const Lock lock(mutex);
    const std::size_t count = known.load(std::memory_order_relaxed);
    if (count == layouts.size() || layout_of(type)) return;
    const auto offset = is_address ? sizeof(PyObject)
                                   : static_cast<std::size_t>(static_cast<const std::byte *>(buffer.buf) -
                                                              reinterpret_cast<const std::byte *>(object));
    Py_INCREF(type);
    layouts[count] = {type, offset, static_cast<std::size_t>(buffer.len), written_as(buffer.format),
                      is_address};
    known.store(count + 1, std::memory_order_release);
}

} // namespace pygpu
