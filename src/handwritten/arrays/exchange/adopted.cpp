// Telling the host runtime when memory begins and ceases to exist.
#include "arrays/exchange/adopted.hpp"

#include "runtime/api.hpp"

#include <dlfcn.h>
#include <new>
#include <utility>

namespace pygpu::arrays {
namespace {

using Adopt = void(void *, std::size_t, int, int);
using Disown = void(void *, std::size_t);

struct Adopted {
    Disown *disown;
    void *pointer;
    std::size_t size;
    Loan loan;
};

} // namespace

bool adopt(const Runtime &runtime, void *pointer, std::size_t size, int device, bool readonly, Loan &loan) {
    // There is one host runtime in a process.
    static auto *const adopt = reinterpret_cast<Adopt *>(dlsym(runtime.api.library, "pygpu_host_adopt"));
    static auto *const disown = reinterpret_cast<Disown *>(dlsym(runtime.api.library, "pygpu_host_disown"));
    if (!adopt || !disown || !pointer) return true;
    auto *adopted = new (std::nothrow) Adopted{disown, pointer, size, {}};
    if (!adopted) {
        PyErr_NoMemory();
        return false;
    }
    adopted->loan = std::move(loan);
    adopt(pointer, size, device, readonly);
    loan = Loan(
        [](void *what) {
            auto *one = static_cast<Adopted *>(what);
            one->disown(one->pointer, one->size);
            delete one;
        },
        adopted);
    return true;
}

} // namespace pygpu::arrays
