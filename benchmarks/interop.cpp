// What interop.py times in C: a library's C exchange API of DLPack, called as an extension module would.
#include <chrono>
#include <dlpack/dlpack.h>

extern "C" {

void Py_DecRef(void *object); // of the interpreter; the GIL is held

// Nanoseconds to export one tensor and to delete it; negative on failure.
double out(const DLPackExchangeAPI *api, void *object, int calls) {
    const auto begin = std::chrono::steady_clock::now();
    for (int call = 0; call < calls; ++call) {
        DLManagedTensorVersioned *tensor = nullptr;
        if (api->managed_tensor_from_py_object_no_sync(object, &tensor)) return -1;
        tensor->deleter(tensor);
    }
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
    return taken.count() / calls;
}

// The same for a borrowed tensor, which nobody deletes.
double borrow(const DLPackExchangeAPI *api, void *object, int calls) {
    const auto begin = std::chrono::steady_clock::now();
    for (int call = 0; call < calls; ++call) {
        DLTensor tensor;
        if (!api->dltensor_from_py_object_no_sync || api->dltensor_from_py_object_no_sync(object, &tensor))
            return -1;
    }
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
    return taken.count() / calls;
}

void end(DLManagedTensorVersioned *) {}

// Nanoseconds to import one tensor as an object, and to destroy the object. The tensor has no owner.
double in(const DLPackExchangeAPI *api, const DLPackExchangeAPI *from, void *object, int calls) {
    DLManagedTensorVersioned *lent = nullptr;
    if (from->managed_tensor_from_py_object_no_sync(object, &lent)) return -1;
    DLManagedTensorVersioned tensor = *lent;
    tensor.deleter = end;
    const auto begin = std::chrono::steady_clock::now();
    for (int call = 0; call < calls; ++call) {
        void *made = nullptr;
        if (api->managed_tensor_to_py_object_no_sync(&tensor, &made)) return -1;
        Py_DecRef(made);
    }
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
    lent->deleter(lent);
    return taken.count() / calls;
}
}
