// Handles (`cudaStream_t`, …): small objects around an opaque pointer, owning it or not.
#pragma once

#include "convert/converter.hpp"
#include "python/reference.hpp"

#include <Python.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace pygpu {

struct Api;

// A keyword of a handle's constructor. An optional one takes `fallback` when it is left out.
struct Keyword {
    const char *name = nullptr;
    bool optional = false;
    bool none = false; // the default is None
    long long fallback = 0;

    constexpr Keyword() = default;
    constexpr Keyword(const char *keyword) : name(keyword) {}
    constexpr Keyword(const char *keyword, std::nullptr_t) : name(keyword), optional(true), none(true) {}
    constexpr Keyword(const char *keyword, std::integral auto value)
        : name(keyword), optional(true), fallback(value) {}
};

// What a handle means to PyGPU itself, as the API's manifest says.
enum class HandleRole : std::uint8_t { plain, stream, event, node, kernel };

// How an owned handle is made and destroyed; all null for handles that are never owned. `create` names the
// bound function that makes one; the constructor's keywords are its inputs. `destroy` is the C call. `ended`
// is called with the handle after that, with the GIL held.
struct HandleOwnership {
    const char *create = nullptr;
    std::array<Keyword, 8> keywords{};
    int (*destroy)(void *handle) = nullptr;
    void (*ended)(const void *handle) = nullptr;
};

// The tag of the C struct that a handle points to, and the tags of other handles that mean the same. Python
// classes have the tag as their attribute `_c_struct_`, so that modules accept each other's handles.
struct Pointed {
    const char *tag;
    std::array<const char *, 2> also{};
};

class HandleClass {
public:
    // `special` is the greatest small integer that has a meaning of its own as this handle (2 for streams).
    HandleClass(Api &api, const char *name, Pointed pointed, HandleRole role = HandleRole::plain,
                std::uintptr_t special = 0, HandleOwnership ownership = {})
        : api_(api), name_(name), pointed_(pointed), role_(role), special_(special), ownership_(ownership) {}

    // A handle with a class of another API, in the module `home`.
    HandleClass(Api &api, const char *name, Pointed pointed, const char *home, HandleRole role)
        : api_(api), name_(name), pointed_(pointed), role_(role), special_(0), home_(home) {}

    // Calls the bound function that makes handles of a class, with positional arguments. `portable` says that
    // the user called the portable name of the class. Messages and statuses then have CUDA's names, and the
    // host runtime may serve the call.
    using Creator = PyObject *(const HandleClass &kind, bool portable, PyObject *arguments);

    // Makes the Python types. `portable` is CUDA's class of the same meaning, null where there is none.
    bool create(const HandleClass *portable, Creator *creator);
    PyTypeObject *type() const { return type_; }
    // The base class of type(). PyGPU's portable name stands for it when a module other than CUDA's serves
    // that name. Calling it makes objects of type(). It is type() itself if CUDA has no such handle.
    PyTypeObject *portable_type() const { return portable_type_; }
    const HandleClass *portable_names() const { return portable_; } // CUDA's class
    Api &api() const { return api_; }
    const char *name() const { return name_; }
    std::uintptr_t special() const { return special_; }
    const HandleOwnership &ownership() const { return ownership_; }
    PyObject *make_owned(bool portable, PyObject *arguments) const {
        return creator_(*this, portable, arguments);
    }
    bool is_stream() const { return role_ == HandleRole::stream; } // speaks __cuda_stream__
    bool is_event() const { return role_ == HandleRole::event; }
    bool is_node() const { return role_ == HandleRole::node; } // of a graph
    bool is_kernel() const { return role_ == HandleRole::kernel; }

    PyObject *wrap(void *handle); // not owned; a new reference
    [[gnu::hot]] bool load(PyObject *object, const ArgumentContext &context, void *&handle);
    static HandleClass *of(PyTypeObject *type); // by type() or portable_type()
    // The class of a handle object and the address in it; null for anything else.
    static const HandleClass *unwrap(PyObject *object, void *&handle);
    // Whether an object is a handle, of any class and module, that points to the same C struct.
    bool takes(PyObject *object) const;
    // The object, or its form as a kernel of all contexts, if takes() it; else empty, perhaps with an
    // exception set.
    Reference taken(PyObject *object) const;

private:
    PyTypeObject *make(const char *module, const HandleClass &named, PyTypeObject *base) const;
    const char *shown_name(const ArgumentContext &context) const;
    std::string documented() const;
    // For anything but an object of type().
    bool load_other(PyObject *object, const ArgumentContext &context, void *&handle);
    static bool load_address(PyObject *object, const ArgumentContext &context, void *&handle);
    bool refuse(PyObject *object, const ArgumentContext &context) const; // false, with TypeError set

    Api &api_;
    const char *name_;
    Pointed pointed_;
    HandleRole role_;
    std::uintptr_t special_;
    HandleOwnership ownership_;
    const char *home_ = nullptr;
    PyTypeObject *type_ = nullptr;
    PyTypeObject *portable_type_ = nullptr;
    const HandleClass *portable_ = nullptr;
    Creator *creator_ = nullptr;
};

// Whether an object is a handle of any module. `handle` is then its address, unless an exception is set.
bool load_any_handle(PyObject *object, void *&handle);
// Whether a handle of another module is a kernel. The manifests say which handles are kernels.
bool is_foreign_kernel(PyObject *object);
// A function of one context may have a second handle, for all contexts: CUDA's CUkernel. Its class gives it
// as the property `_c_kernel_`, None where there is none. Empty for all other objects, unless an exception is
// set.
Reference kernel_of_all_contexts(PyObject *object);

// Called after C has destroyed the handle in `object`: the owner gives the handle up. Harmless for any other
// object.
void disown(PyObject *object);
// The same if C clears the handle, too: the object is null from now on.
void end_handle(PyObject *object);
// Whether a handle object has given its handle up by disown() or end_handle().
bool is_destroyed(PyObject *object);

// Objects of other layers may own a handle, too, as PyGPU.Stream and PyGPU.Event do. All objects of one kind
// share a destructor. `give_up` notifies them. `give` reads the handle as calls do it, without asking for
// attributes; false with an exception set.
using GiveUp = void (*)(PyObject *object);
using GiveHandle = bool (*)(PyObject *object, void *&handle);

// All extension modules use the table of PyGPU._core (module/shared.hpp). Guarded by the GIL.
struct OtherOwners {
    struct OwnerType {
        destructor destroy;
        HandleRole role;
        GiveHandle give;
        GiveUp give_up;
    };
    std::array<OwnerType, 4> types{};
    std::size_t count = 0;
    bool disowned_any = false; // false spares a search for disowned objects
};
extern OtherOwners *other_owners;

// Called while the module is made.
void add_owner(destructor kind, HandleRole role, GiveHandle give, GiveUp give_up);

// Defined for every opaque struct of an API by the generated files.
template <class Opaque> HandleClass &handle_class();
template <class T> inline constexpr bool is_opaque = false;

template <class T>
concept Handle = std::is_pointer_v<T> && is_opaque<std::remove_const_t<std::remove_pointer_t<T>>>;

template <Handle T> HandleClass &handle_class_of() {
    return handle_class<std::remove_const_t<std::remove_pointer_t<T>>>();
}

template <Handle T> struct Converter<T> {
    void *handle = nullptr;

    bool load(PyObject *object, const ArgumentContext &context) {
        return handle_class_of<T>().load(object, context, handle);
    }
    void fallback(long long value) { handle = reinterpret_cast<void *>(static_cast<std::uintptr_t>(value)); }
    T value() const { return static_cast<T>(handle); }
};

// A handle that the call destroys: its owner gives it up when the call succeeds.
template <class T> struct Destroyed {
    T handle;
    operator T() const { return handle; }
};

template <Handle T> struct Converter<Destroyed<T>> {
    Converter<T> handle;
    PyObject *owner = nullptr;

    bool load(PyObject *object, const ArgumentContext &context) {
        owner = object;
        return handle.load(object, context);
    }
    void fallback(long long value) { handle.fallback(value); }
    Destroyed<T> value() const { return {handle.value()}; }
    void succeeded() {
        if (owner) disown(owner);
    }
};

// A handle that the call destroys and clears through a pointer.
template <class T> struct Ended {
    T handle;
    operator T *() { return &handle; }
};

template <Handle T> struct Converter<Ended<T>> : Converter<Destroyed<T>> {
    Ended<T> value() const { return {this->handle.value()}; }
    void succeeded() {
        if (this->owner) end_handle(this->owner);
    }
};

template <Handle T> PyObject *to_python(T handle) {
    return handle_class_of<T>().wrap(const_cast<void *>(static_cast<const void *>(handle)));
}

} // namespace pygpu
