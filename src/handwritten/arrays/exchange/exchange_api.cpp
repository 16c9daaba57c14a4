// Looking up the tables of types.
#include "arrays/exchange/exchange_api.hpp"

#include "python/object_cache.hpp"
#include "python/reference.hpp"

namespace pygpu::arrays {
namespace {

int ask(PyObject *tensor, PyObject *method) {
    const Reference answer(PyObject_CallMethodNoArgs(tensor, method));
    return answer ? PyObject_IsTrue(answer.get()) : -1;
}

const DLPackExchangeAPI *look_up(PyTypeObject *type) {
    const Reference capsule(
        PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), "__dlpack_c_exchange_api__"));
    const void *found = capsule ? PyCapsule_GetPointer(capsule.get(), "dlpack_exchange_api") : nullptr;
    PyErr_Clear();
    const auto *header = static_cast<const DLPackExchangeAPIHeader *>(found);
    while (header && header->version.major != DLPACK_MAJOR_VERSION) header = header->prev_api;
    return reinterpret_cast<const DLPackExchangeAPI *>(header);
}

struct Seen {
    const DLPackExchangeAPI *api;
    bool may_be_lazy;
};

Seen seen_of(PyTypeObject *type) {
    static ObjectCache<Seen> cache;
    auto *object = reinterpret_cast<PyObject *>(type);
    if (const Seen *known = cache.find(object)) return *known;
    const Seen found{look_up(type), PyObject_HasAttrString(object, "is_neg") != 0};
    cache.put(object, found);
    return found;
}

} // namespace

const DLPackExchangeAPI *exchange_api_of(PyTypeObject *type) { return seen_of(type).api; }

int is_lazy(PyObject *tensor, DLDataType type) {
    static PyObject *neg = PyUnicode_InternFromString("is_neg");
    static PyObject *conj = PyUnicode_InternFromString("is_conj");
    const bool number = type.code == kDLFloat || type.code == kDLComplex;
    if (!number || !seen_of(Py_TYPE(tensor)).may_be_lazy) return 0;
    const int answer = ask(tensor, neg);
    return answer || type.code != kDLComplex ? answer : ask(tensor, conj);
}

} // namespace pygpu::arrays
