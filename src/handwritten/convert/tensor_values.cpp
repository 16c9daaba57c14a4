// Asking a tensor by torch's names, which other libraries' tensors don't have.
#include "convert/tensor_values.hpp"

#include "python/object_cache.hpp"
#include "python/reference.hpp"

namespace pygpu {
namespace {

struct TypeFacts {
    bool is_tensor = false;
    bool is_neg = false, is_conj = false, requires_grad = false; // what the type has
};

TypeFacts facts_of(PyTypeObject *type) {
    static ObjectCache<TypeFacts> cache;
    auto *object = reinterpret_cast<PyObject *>(type);
    if (const TypeFacts *known = cache.find(object)) return *known;
    const auto has = [&](const char *name) { return PyObject_HasAttrString(object, name) != 0; };
    const TypeFacts asked{has("__dlpack__") || has("__cuda_array_interface__"), has("is_neg"), has("is_conj"),
                          has("requires_grad")};
    cache.put(object, asked);
    return asked;
}

// 1, 0, or -1 with an exception set.
int truth(const Reference &answer) { return answer ? PyObject_IsTrue(answer.get()) : -1; }

int call(PyObject *tensor, PyObject *method) {
    return truth(Reference(PyObject_CallMethodNoArgs(tensor, method)));
}

} // namespace

bool is_tensor(PyObject *object) { return facts_of(Py_TYPE(object)).is_tensor; }

const char *why_not_plain(PyObject *tensor, char kind) {
    static PyObject *const neg = PyUnicode_InternFromString("is_neg"),
                           *const conj = PyUnicode_InternFromString("is_conj"),
                           *const grad = PyUnicode_InternFromString("requires_grad");
    if (kind != 'f' && kind != 'c') return nullptr;
    const TypeFacts asked = facts_of(Py_TYPE(tensor));
    if (asked.requires_grad) {
        const int records = truth(Reference(PyObject_GetAttr(tensor, grad)));
        if (records < 0) return nullptr;
        if (records)
            return "the tensor requires grad, and torch records nothing of what PyGPU does: pass x.detach()";
    }
    int lazy = asked.is_neg ? call(tensor, neg) : 0;
    if (!lazy && kind == 'c' && asked.is_conj) lazy = call(tensor, conj);
    return lazy > 0 ? "the tensor is a lazy negative or conjugate of its memory: pass x.resolve_neg() or "
                      "x.resolve_conj()"
                    : nullptr;
}

} // namespace pygpu
