// Looking up the tables of types.
#include "arrays/exchange/exchange_api.hpp"

#include "python/object_cache.hpp"
#include "python/reference.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace pygpu::arrays {
namespace {

const DLPackExchangeAPI *look_up(PyTypeObject *type) {
    const Reference capsule(
        PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), "__dlpack_c_exchange_api__"));
    const void *table = capsule ? PyCapsule_GetPointer(capsule.get(), "dlpack_exchange_api") : nullptr;
    PyErr_Clear();
    const auto *header = static_cast<const DLPackExchangeAPIHeader *>(table);
    while (header && header->version.major != DLPACK_MAJOR_VERSION) header = header->prev_api;
    return reinterpret_cast<const DLPackExchangeAPI *>(header);
}

// Whether the module of a type is in one of the packages.
bool is_of(PyTypeObject *type, std::initializer_list<std::string_view> packages) {
    const Reference module(PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), "__module__"));
    const char *text = module && PyUnicode_Check(module.get()) ? PyUnicode_AsUTF8(module.get()) : nullptr;
    PyErr_Clear();
    const std::string_view name = text ? text : "";
    return std::ranges::find(packages, name.substr(0, name.find('.'))) != packages.end();
}

struct ClassFacts {
    const DLPackExchangeAPI *api;
    bool is_immutable;
};

ClassFacts facts_of(PyTypeObject *type) {
    static ObjectCache<ClassFacts> cache;
    auto *object = reinterpret_cast<PyObject *>(type);
    if (const ClassFacts *known = cache.find(object)) return *known;
    const ClassFacts facts{look_up(type), is_of(type, {"jax", "jaxlib", "tensorflow"})};
    cache.put(object, facts);
    return facts;
}

} // namespace

const DLPackExchangeAPI *exchange_api_of(PyTypeObject *type) { return facts_of(type).api; }

bool is_immutable(PyTypeObject *type) { return facts_of(type).is_immutable; }

} // namespace pygpu::arrays
