// The table of callables.
#include "callbacks/registry.hpp"

#include <mutex>
#include <unordered_map>
#include <utility>

namespace pygpu {
namespace {

struct Registry {
    std::mutex mutex; // never held while Python code can run
    Token last = 0;
    std::unordered_map<Token, Called> called;
    std::unordered_map<const void *, Token> handles;
};

Registry &registry() {
    static auto *only = new Registry; // C may call until the process ends
    return *only;
}

} // namespace

void Called::drop() {
    Py_XDECREF(std::exchange(callable, nullptr));
    Py_XDECREF(std::exchange(data, nullptr));
}

Token remember(PyObject *callable, PyObject *data, ErrorType *errors, bool once) {
    const Called one{Py_NewRef(callable), Py_NewRef(data), errors, once};
    Registry &all = registry();
    const std::lock_guard lock(all.mutex);
    all.called.emplace(++all.last, one);
    return all.last;
}

Called recall(Token token) {
    Registry &all = registry();
    const std::lock_guard lock(all.mutex);
    const auto found = all.called.find(token);
    if (found == all.called.end()) return {};
    const Called one = found->second;
    if (one.once) {
        all.called.erase(found); // its references go to the caller
    } else {
        Py_INCREF(one.callable);
        Py_INCREF(one.data);
    }
    return one;
}

void forget(Token token) {
    Called one;
    {
        Registry &all = registry();
        const std::lock_guard lock(all.mutex);
        const auto found = all.called.find(token);
        if (found == all.called.end()) return;
        one = found->second;
        all.called.erase(found);
    }
    one.drop();
}

void remember_handle(const void *handle, Token token) {
    Token former = 0;
    {
        Registry &all = registry();
        const std::lock_guard lock(all.mutex);
        former = std::exchange(all.handles[handle], token);
    }
    forget(former); // C gave the handle anew: the one that had it is gone
}

void forget_handle(const void *handle) {
    Token token = 0;
    {
        Registry &all = registry();
        const std::lock_guard lock(all.mutex);
        const auto found = all.handles.find(handle);
        if (found == all.handles.end()) return;
        token = found->second;
        all.handles.erase(found);
    }
    forget(token);
}

} // namespace pygpu
