// Learning where scalars hold their bytes.
#include "types/launch/scalar_layout.hpp"

#include "base/lock.hpp"
#include "convert/c_types.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string_view>

namespace pygpu {

constinit std::array<ScalarLayout, 128> scalar_layouts{};

namespace {

// numpy has 24 scalar types, ctypes about as many.
constexpr std::size_t most_learnt = scalar_layouts.size() / 2;
std::size_t learnt_so_far = 0;
std::mutex mutex; // guards what is learnt

// The letters are those of the struct module, with numpy's for complex numbers and ctypes' for pointers.
constexpr std::array<ScalarKind, 256> letters = [] {
    std::array<ScalarKind, 256> all{};
    const auto set = [&](std::string_view some, ScalarKind kind) {
        for (const char letter : some) all[static_cast<unsigned char>(letter)] = kind;
    };
    set("?cbBhHiIlLqQnNu", ScalarKind::integer);
    set("efdg", ScalarKind::real);
    set("Z", ScalarKind::complex);
    set("Pz&", ScalarKind::pointer);
    return all;
}();

// A value lies at the same place in every object of its type if it is read-only and inside the object, and
// the type is static, as numpy's types are.
bool lies_inside(PyObject *object, const Py_buffer &buffer) {
    const PyTypeObject *type = Py_TYPE(object);
    const auto start = reinterpret_cast<std::uintptr_t>(object),
               at = reinterpret_cast<std::uintptr_t>(buffer.buf);
    return buffer.readonly && !(type->tp_flags & Py_TPFLAGS_HEAPTYPE) && at >= start + sizeof(PyObject) &&
           !type->tp_itemsize && type->tp_basicsize <= UINT16_MAX && buffer.len > 0 &&
           at + static_cast<std::size_t>(buffer.len) <= start + static_cast<std::size_t>(type->tp_basicsize);
}

// The first word of a ctypes object is the address of its bytes. Only ctypes' own classes are learnt: a
// user's class may be freed, and another class may then have its address.
bool leads_to_bytes(PyObject *object, const Py_buffer &buffer) {
    if (!is_c_scalar(object) || !is_of_ctypes(Py_TYPE(object))) return false;
    const void *word;
    std::memcpy(&word, object + 1, sizeof word);
    return word && word == buffer.buf && buffer.len > 0;
}

} // namespace

ScalarKind scalar_kind(const char *format) {
    if (!format) return ScalarKind::unknown;
    if (std::string_view("@=<>!|").find(*format) != std::string_view::npos) ++format;
    const ScalarKind kind = letters[static_cast<unsigned char>(*format)];
    if (*format == '&' || *format == 'Z') return kind; // more letters follow
    if (*format && !format[1]) return kind;
    return std::string_view(format) == "X{}" ? ScalarKind::pointer : ScalarKind::unknown; // a function
}

void learn_scalar(PyObject *object, const Py_buffer &buffer) {
    const bool is_address = leads_to_bytes(object, buffer);
    if (!is_address && !lies_inside(object, buffer)) return;
    PyTypeObject *type = Py_TYPE(object);
    const Lock lock(mutex);
    bool learnt = false;
    ScalarLayout &layout = scalar_layout(type, learnt);
    if (learnt || learnt_so_far == most_learnt) return;
    ++learnt_so_far;
    const auto offset = is_address ? sizeof(PyObject)
                                   : static_cast<std::size_t>(static_cast<const std::byte *>(buffer.buf) -
                                                              reinterpret_cast<const std::byte *>(object));
    layout.offset = static_cast<std::uint16_t>(offset);
    layout.size = static_cast<std::uint16_t>(buffer.len);
    layout.kind = scalar_kind(buffer.format);
    layout.is_address = is_address;
    Py_INCREF(type); // never released, so that no other type can have its address later
    layout.type.store(type, std::memory_order_release);
}

} // namespace pygpu
