// Sharing by a capsule of PyGPU._core.
#include "module/shared.hpp"

#include "binding/status_base.hpp"
#include "convert/pointer_provider.hpp"
#include "python/exit.hpp"
#include "python/reference.hpp"
#include "runtime/generation.hpp"
#include "types/handles/handle_class.hpp"

namespace pygpu {
namespace {

// Only with types that different compilers lay out alike, since the modules may come from different
// compilers.
struct Shared {
    int version;
    PyTypeObject *status_base;
    MemoryKinds *memory_kinds;
    OtherOwners *other_owners;
    Generations *generations;
    Exit *program_exit;
    int &(*callbacks_entered)();
};

constexpr int version = 4;
constexpr const char *capsule_name = "PyGPU._core._shared";

} // namespace

bool share(PyObject *core) {
    status_base = make_status_base();
    static Shared own;
    own = {version, status_base, memory_kinds, other_owners, generations, program_exit, callbacks_entered};
    Reference capsule(status_base ? PyCapsule_New(&own, capsule_name, nullptr) : nullptr);
    return capsule && !PyObject_SetAttrString(core, "_shared", capsule.get());
}

bool take_shared() {
    if (status_base) return true;
    const auto *shared = static_cast<Shared *>(PyCapsule_Import(capsule_name, 0));
    if (!shared) return false;
    if (shared->version != version) {
        PyErr_Format(PyExc_ImportError,
                     "PyGPU._core shares version %d of its state, this module needs %d: reinstall both",
                     shared->version, version);
        return false;
    }
    memory_kinds = shared->memory_kinds;
    other_owners = shared->other_owners;
    generations = shared->generations;
    program_exit = shared->program_exit;
    callbacks_entered = shared->callbacks_entered;
    status_base = shared->status_base;
    return true;
}

} // namespace pygpu
