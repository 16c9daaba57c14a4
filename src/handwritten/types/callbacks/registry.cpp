// The table of callables, and the type of its entries.
#include "types/callbacks/registry.hpp"

#include "base/lock.hpp"
#include "python/heap_type.hpp"
#include "python/reference.hpp"

#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace pygpu {
namespace {

using Pair = std::pair<PyObject *, PyObject *>;

struct Registry {
    std::mutex mutex; // never held while Python code can run
    Token last = 0;
    std::unordered_map<Token, Bound *> bound;
    std::map<Pair, Bound *> pairs; // those that bind() made
    std::unordered_map<const void *, Token> handles;
};

Registry &registry() {
    static auto *only = new Registry; // C may call until the process ends
    return *only;
}

PyObject *object(Bound *self) { return reinterpret_cast<PyObject *>(self); }

Bound *find(const Registry &all, Token token) {
    const auto entry = all.bound.find(token);
    return entry == all.bound.end() ? nullptr : entry->second;
}

// From now on, calls from C find no callable and are ignored.
void take_out(Bound *self) {
    Registry &all = registry();
    const Lock lock(all.mutex);
    all.bound.erase(self->token);
    const auto pair = all.pairs.find({self->callable, self->data});
    if (pair != all.pairs.end() && pair->second == self) all.pairs.erase(pair);
}

int clear(PyObject *object) {
    auto *self = reinterpret_cast<Bound *>(object);
    take_out(self);
    Py_CLEAR(self->callable);
    Py_CLEAR(self->data);
    return 0;
}

void destroy(PyObject *object) {
    PyObject_GC_UnTrack(object);
    clear(object);
    free_object(object);
}

int traverse(PyObject *object, visitproc visit, void *arg) {
    auto *self = reinterpret_cast<Bound *>(object);
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->callable);
    Py_VISIT(self->data);
    return 0;
}

PyTypeObject *bound_type() {
    // Guarded by the GIL. A static with an initialiser would hold its own guard while Python code may run (a
    // garbage collection).
    static PyTypeObject *type = nullptr;
    if (type) return type;
    const TypeTable table{.destroy = destroy, .traverse = traverse, .clear = clear};
    return type = make_type("PyGPU._core._Bound", sizeof(Bound),
                            Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, table);
}

Bound *make(PyObject *callable, PyObject *data) {
    PyTypeObject *type = bound_type();
    auto *self = type ? reinterpret_cast<Bound *>(type->tp_alloc(type, 0)) : nullptr;
    if (!self) return nullptr;
    self->callable = Py_XNewRef(callable);
    self->data = Py_NewRef(data);
    Registry &all = registry();
    const Lock lock(all.mutex);
    self->token = ++all.last;
    all.bound.emplace(self->token, self);
    return self;
}

} // namespace

Bound *as_bound(PyObject *object) {
    return Py_TYPE(object)->tp_dealloc == destroy ? reinterpret_cast<Bound *>(object) : nullptr;
}

PyObject *bind(PyObject *callable, PyObject *data) {
    Registry &all = registry();
    {
        const Lock lock(all.mutex);
        const auto pair = all.pairs.find({callable, data});
        if (pair != all.pairs.end()) return Py_NewRef(object(pair->second));
    }
    Bound *self = make(callable, data);
    if (!self) return nullptr;
    const Lock lock(all.mutex);
    all.pairs.insert_or_assign({callable, data}, self);
    return object(self);
}

PyObject *bound_to(Token token) {
    Registry &all = registry();
    const Lock lock(all.mutex);
    return Py_XNewRef(object(find(all, token)));
}

Token remember(PyObject *callable, PyObject *data, StatusType *errors, bool once) {
    Bound *self = make(callable, data);
    if (!self) return 0;
    self->errors = errors;
    self->once = once;
    self->holds = 1; // the reference that make() returned
    return self->token;
}

void hold(Token token) {
    Registry &all = registry();
    const Lock lock(all.mutex);
    Bound *one = find(all, token);
    if (one && !one->holds++) Py_INCREF(object(one));
}

void forget(Token token) {
    Bound *one = nullptr;
    {
        Registry &all = registry();
        const Lock lock(all.mutex);
        one = find(all, token);
        if (!one || !one->holds || --one->holds) return;
    }
    release_object(object(one));
}

void Called::drop() {
    Py_XDECREF(std::exchange(callable, nullptr));
    Py_XDECREF(std::exchange(data, nullptr));
}

Called recall(Token token) {
    Called called;
    bool once = false;
    {
        Registry &all = registry();
        const Lock lock(all.mutex);
        const Bound *one = find(all, token);
        if (!one || !one->callable) return {};
        called = {Py_NewRef(one->callable), Py_NewRef(one->data), one->errors};
        once = one->once;
    }
    if (once) forget(token);
    return called;
}

void remember_handle(const void *handle, Token token) {
    Token former = 0;
    {
        Registry &all = registry();
        const Lock lock(all.mutex);
        former = std::exchange(all.handles[handle], token);
    }
    forget(former); // C has reused the handle, so its former registration is over
}

void forget_handle(const void *handle) {
    Token token = 0;
    {
        Registry &all = registry();
        const Lock lock(all.mutex);
        const auto entry = all.handles.find(handle);
        if (entry == all.handles.end()) return;
        token = entry->second;
        all.handles.erase(entry);
    }
    forget(token);
}

} // namespace pygpu
