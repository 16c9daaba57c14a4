// The Python types of handles, and the rules of owning one.
#include "types/handles/handle_class.hpp"

#include "binding/argument_errors.hpp"
#include "binding/mode.hpp"
#include "convert/memory.hpp"
#include "convert/pointer_provider.hpp"
#include "convert/scalars.hpp"
#include "python/c_pointer.hpp"
#include "python/finaliser.hpp"
#include "python/heap_type.hpp"
#include "python/imported.hpp"
#include "python/reference.hpp"
#include "python/type_name.hpp"
#include "runtime/api.hpp"
#include "runtime/error_guard.hpp"
#include "runtime/owner.hpp"
#include "types/handles/foreign_stream.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace pygpu {
namespace {

constinit OtherOwners own_other_owners;
constexpr const char *ended_in_block = "the %s was ended by its `with` block";

struct HandleObject {
    PyObject_HEAD
    HandleClass *kind;
    void *handle;
    Owner owner;
    bool destroyed;      // by a function of C
    bool left;           // by a `with` block
    PyObject *parents;   // owned: the handles that it was created with, a tuple or null
    Py_ssize_t children; // how many were created with it, and haven't ended
};

std::vector<HandleClass *> &kinds() {
    static std::vector<HandleClass *> all;
    return all;
}

HandleObject *object_of(PyObject *self) { return reinterpret_cast<HandleObject *>(self); }

std::uintptr_t address_of(PyObject *self) {
    return reinterpret_cast<std::uintptr_t>(object_of(self)->handle);
}

PyObject *number(PyObject *self) { return PyLong_FromUnsignedLongLong(address_of(self)); }

int truth(PyObject *self) { return object_of(self)->handle != nullptr; }

PyObject *repr(PyObject *self) {
    return PyUnicode_FromFormat("<%s %p%s>", object_of(self)->kind->name(), object_of(self)->handle,
                                object_of(self)->owner.owns() ? ", owner" : "");
}

Py_hash_t hash(PyObject *self) {
    Reference value(number(self));
    return value ? PyObject_Hash(value.get()) : -1;
}

PyObject *compare(PyObject *self, PyObject *other, int operation) {
    if ((operation != Py_EQ && operation != Py_NE) || Py_TYPE(other) != Py_TYPE(self)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    return PyBool_FromLong((address_of(self) == address_of(other)) == (operation == Py_EQ));
}

// Ends the handle in C if this object owns it. False where C refuses; that changes nothing for an object that
// itself ends, as the `last` thing.
bool end_in_c(const HandleObject &object, bool last) {
    if (!object.owner.owns() || !object.handle) return true;
    int status = 0;
    int *const here = inside_callback() ? nullptr : &status; // later, nobody can be told
    finalise([&kind = *object.kind, handle = object.handle, owner = object.owner, here, last] {
        if (!owner.may_end_it()) return;
        int answer = 0;
        {
            GilReleased released(true);
            guarding_error_state(kind.api().own, [&] { return answer = kind.ownership().destroy(handle); });
        }
        if (here) *here = answer;
        if (kind.ownership().ended && (last || !answer)) kind.ownership().ended(handle);
    });
    return !status;
}

// Ends what a `with` block has left. The object is disowned before C is called, as another thread may come
// here meanwhile. Where C refuses, it still owns the handle.
void end_now(PyObject *self) {
    HandleObject &object = *object_of(self);
    const HandleObject before = object;
    end_handle(self);
    if (end_in_c(before, false)) return;
    object.handle = before.handle;
    object.owner = before.owner;
    object.destroyed = object.left = false;
}

// They end after it, as C may need them for its end; now, if their own block has been left.
void release_parents(PyObject *parents) {
    for (Py_ssize_t at = 0; parents && at < PyTuple_GET_SIZE(parents); ++at) {
        PyObject *const one = PyTuple_GET_ITEM(parents, at);
        if (!--object_of(one)->children && object_of(one)->left) end_now(one);
    }
    Py_XDECREF(parents);
}

void destroy(PyObject *self) {
    end_in_c(*object_of(self), true);
    release_parents(object_of(self)->parents);
    free_object(self);
}

PyObject *make(HandleClass &kind, void *handle, Owner owner = {}) {
    PyObject *self = kind.type()->tp_alloc(kind.type(), 0);
    if (!self) return nullptr;
    object_of(self)->kind = &kind;
    object_of(self)->handle = handle;
    object_of(self)->owner = owner;
    return self;
}

// "flags=0, priority=0"; `due` is appended to a keyword without a default.
std::string keywords_of(const HandleClass &kind, const char *due) {
    std::string listed;
    for (const Keyword &one : kind.ownership().keywords) {
        if (!one.name) break;
        listed += (listed.empty() ? "" : ", ") + std::string(one.name);
        listed += !one.optional ? due : one.none ? "=None" : "=" + std::to_string(one.fallback);
    }
    return listed;
}

// "cudaStream_t(flags=0, priority=0)"
std::string signature(const HandleClass &kind) {
    return std::string(kind.name()) + "(" + keywords_of(kind, "") + ")";
}

// A hint for a small number: it was probably meant as the first keyword.
std::string keyword_hint(const HandleClass &kind) {
    const Keyword &first = kind.ownership().keywords.front();
    return first.name ? std::string("; write ") + first.name + "=…" : "";
}

bool has_keyword(const HandleClass &kind, PyObject *name) {
    for (const Keyword &one : kind.ownership().keywords) {
        if (one.name && !PyUnicode_CompareWithASCIIString(name, one.name)) return true;
    }
    return false;
}

// The arguments of the creating function: the constructor's keywords in order, with defaults for missing
// ones.
Reference creation_arguments(const HandleClass &kind, PyObject *kwargs) {
    if (kwargs && !PyArg_ValidateKeywordArguments(kwargs)) return {};
    PyObject *name, *value;
    for (Py_ssize_t at = 0; kwargs && PyDict_Next(kwargs, &at, &name, &value);) {
        if (!has_keyword(kind, name)) {
            PyErr_Format(PyExc_TypeError, "%s has no parameter '%U'", signature(kind).c_str(), name);
            return {};
        }
    }
    Reference arguments(PyList_New(0));
    for (const Keyword &one : kind.ownership().keywords) {
        if (!arguments || !one.name) break;
        Reference value = Reference::borrow(kwargs ? PyDict_GetItemString(kwargs, one.name) : nullptr);
        if (!value && !one.optional) {
            PyErr_Format(PyExc_TypeError, "%s: parameter '%s' is missing", signature(kind).c_str(), one.name);
            return {};
        }
        if (!value && one.none) value = Reference::borrow(Py_None);
        if (!value) value = Reference(PyLong_FromLongLong(one.fallback));
        if (!value || PyList_Append(arguments.get(), value.get())) return {};
    }
    return Reference(arguments ? PyList_AsTuple(arguments.get()) : nullptr);
}

PyObject *wrap_address(HandleClass &kind, const HandleClass &named, PyObject *address) {
    if (Py_TYPE(address) == kind.type()) return kind.wrap(object_of(address)->handle);
    const Reference other = kind.taken(address);
    if (void *handle = nullptr; other && load_any_handle(other.get(), handle)) {
        return PyErr_Occurred() ? nullptr : kind.wrap(handle);
    }
    if (PyErr_Occurred()) return nullptr;
    if (!is_integer(address)) {
        return PyErr_Format(PyExc_TypeError, "%s(): an address must be an integer, not %.80s", named.name(),
                            type_description(address));
    }
    Reference index(PyNumber_Index(address));
    if (!index) return nullptr;
    const std::uintptr_t pointer = PyLong_AsUnsignedLongLong(index.get());
    if (PyErr_Occurred()) {
        PyErr_Clear();
        return PyErr_Format(PyExc_OverflowError, "%s(): address %R is out of range", named.name(),
                            index.get());
    }
    // The user gave a small number and forgot its keyword.
    if (pointer > kind.special() && pointer < first_page_end) {
        return PyErr_Format(PyExc_ValueError, "%s(%R): no %s lives at this address%s", named.name(),
                            index.get(), named.name(), keyword_hint(named).c_str());
    }
    return kind.wrap(reinterpret_cast<void *>(pointer));
}

// The handles among a creating function's arguments. False with an exception set.
bool find_parents(PyObject *arguments, PyObject *&parents) {
    Reference list(PyList_New(0));
    for (Py_ssize_t at = 0; list && at < PyTuple_GET_SIZE(arguments); ++at) {
        PyObject *const one = PyTuple_GET_ITEM(arguments, at);
        void *handle = nullptr;
        if (HandleClass::unwrap(one, handle) && PyList_Append(list.get(), one)) return false;
    }
    if (!list) return false;
    if (PyList_GET_SIZE(list.get())) parents = PyList_AsTuple(list.get());
    for (Py_ssize_t at = 0; parents && at < PyTuple_GET_SIZE(parents); ++at)
        ++object_of(PyTuple_GET_ITEM(parents, at))->children;
    return !PyErr_Occurred();
}

// `cudaStream_t(ptr)` wraps; `cudaStream_t(flags=…)` and `cudaStream_t()` create where that is possible.
PyObject *construct(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    HandleClass &kind = *HandleClass::of(type);
    const bool portable = type != kind.type();
    const HandleClass &named = portable ? *kind.portable_names() : kind;
    const Py_ssize_t nargs = PyTuple_GET_SIZE(args);
    const bool keywords = kwargs && PyDict_GET_SIZE(kwargs);
    if (nargs > 1 || (nargs == 1 && keywords)) {
        return PyErr_Format(PyExc_TypeError, "%s takes one address, or keywords only",
                            kind.ownership().create ? signature(named).c_str() : named.name());
    }
    if (nargs == 1) return wrap_address(kind, named, PyTuple_GET_ITEM(args, 0));
    if (!kind.ownership().create) {
        return PyErr_Format(PyExc_TypeError, "%s() takes an address: it has no constructor in C",
                            named.name());
    }
    Reference arguments = creation_arguments(named, kwargs);
    Reference created(arguments ? kind.make_owned(portable, arguments.get()) : nullptr);
    if (!created) return nullptr;
    if (!object_of(created.get())->handle) { // C has no status to say why
        return PyErr_Format(PyExc_RuntimeError, "%s(): %s() gave NULL", named.name(),
                            kind.ownership().create);
    }
    Reference owner(make(kind, object_of(created.get())->handle, Owner(current_device(kind.api().own))));
    if (!owner || !find_parents(arguments.get(), object_of(owner.get())->parents)) return nullptr;
    return owner.release();
}

PyObject *enter(PyObject *self, PyObject *) {
    if (object_of(self)->owner.owns()) return Py_NewRef(self);
    const HandleClass &kind = *object_of(self)->kind;
    if (object_of(self)->destroyed)
        return PyErr_Format(PyExc_ValueError, "with %s: it was destroyed", kind.name());
    return PyErr_Format(PyExc_TypeError, "with %s: it is not owned; one that %s made is", kind.name(),
                        signature(kind).c_str());
}

// A handle that others were created with ends after the last of them.
PyObject *leave(PyObject *self, PyObject *) {
    HandleObject &object = *object_of(self);
    if (object.owner.owns()) {
        object.left = true;
        if (!object.children) {
            end_now(self);
            if (!object.handle) release_parents(std::exchange(object.parents, nullptr));
        }
    }
    Py_RETURN_NONE;
}

PyObject *reduce(PyObject *self, PyObject *) {
    return PyErr_Format(PyExc_TypeError, "a %s means nothing in another process: it cannot be pickled",
                        object_of(self)->kind->name());
}

// The protocol by which libraries hand streams to each other: (version 0, address).
PyObject *cuda_stream(PyObject *self, PyObject *) {
    if (object_of(self)->left && !address_of(self))
        return PyErr_Format(PyExc_ValueError, ended_in_block, object_of(self)->kind->name());
    return Py_BuildValue("(iK)", 0, static_cast<unsigned long long>(address_of(self)));
}

constexpr const char *tag_name = "_c_struct_";
constexpr const char *disown_name = "_disown_";
constexpr const char *own_name = "_own_";

// The tag of the C struct that a handle points to, as the handle's class states it. Empty, without an
// exception, for other objects. It is looked up as CPython looks up a method: most objects have no tag, and
// an AttributeError would cost more than a whole call.
Reference tag_of(PyObject *object) {
    static PyObject *const name = PyUnicode_InternFromString(tag_name);
    PyObject *tag = name ? _PyType_Lookup(Py_TYPE(object), name) : nullptr;
    return tag && PyUnicode_Check(tag) ? Reference::borrow(tag) : Reference();
}

// Null for an object that add_owner() doesn't know.
const OtherOwners::OwnerType *owner_type_of(PyObject *object) {
    for (std::size_t at = 0; at < other_owners->count; ++at) {
        if (other_owners->types[at].destroy == Py_TYPE(object)->tp_dealloc) return &other_owners->types[at];
    }
    return nullptr;
}

// Called by another module's function after it has destroyed the handle in C.
PyObject *disowned(PyObject *self, PyObject *) {
    disown(self);
    Py_RETURN_NONE;
}

// Called by PyGPU's own objects: what a function returned is theirs from now on.
PyObject *owned(PyObject *self, PyObject *) {
    HandleObject &object = *object_of(self);
    if (object.handle && !object.owner.owns()) object.owner = Owner(current_device(object.kind->api().own));
    return Py_NewRef(self);
}

PyMethodDef plain_methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr},
                               {disown_name, disowned, METH_NOARGS, nullptr},
                               {nullptr, nullptr, 0, nullptr}};
PyMethodDef owner_methods[] = {
    {"__reduce__", reduce, METH_NOARGS, nullptr},  {own_name, owned, METH_NOARGS, nullptr},
    {"__enter__", enter, METH_NOARGS, nullptr},    {"__exit__", leave, METH_VARARGS, nullptr},
    {disown_name, disowned, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
PyMethodDef stream_methods[] = {
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {own_name, owned, METH_NOARGS, nullptr},
    {"__enter__", enter, METH_NOARGS, nullptr},
    {"__exit__", leave, METH_VARARGS, nullptr},
    {disown_name, disowned, METH_NOARGS, nullptr},
    {"__cuda_stream__", cuda_stream, METH_NOARGS, "the CUDA stream protocol: (0, address)"},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef properties[] = {
    {"_as_parameter_", as_parameter, nullptr, "the address for ctypes, a c_void_p", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

} // namespace

constinit OtherOwners *other_owners = &own_other_owners;

std::string HandleClass::documented() const {
    // The user gives either one address or the keywords. `*address` expresses this, because then no parameter
    // is always required.
    const std::string listed = ownership_.create ? "*address, " + keywords_of(*this, "=...") : "address, /";
    std::string text = std::string(name_) + "(" + listed + ")\n--\n\n" + name_ +
                       " of C: int() is its address, null is false.\n\n" + name_ +
                       "(address) wraps a handle that is owned by someone else, like those that functions "
                       "return.";
    if (special_) {
        text += "\nThe addresses 1 to " + std::to_string(special_) + " have a meaning of their own in C.";
    }
    if (ownership_.create) {
        text +=
            "\n" + signature(*this) + " creates one by " + ownership_.create +
            " and owns it: it is destroyed at the end of a `with` block or with the object, unless a function "
            "destroyed it before."
            "\nRaises GPUError when C can't create it";
        text += ", ValueError for a small number, which is no address.";
    }
    if (is_stream()) {
        text +=
            "\nSpeaks __cuda_stream__, and functions take any object that does, and streams of torch, CuPy, "
            "numba and PyCUDA.";
    }
    return text;
}

PyTypeObject *HandleClass::make(const char *module, const HandleClass &named, PyTypeObject *base) const {
    const std::string doc = named.documented(); // the type copies it
    const TypeTable table{.create = construct,
                          .destroy = destroy,
                          .repr = repr,
                          .hash = hash,
                          .compare = compare,
                          .truth = truth,
                          .number = number,
                          .methods = is_stream()         ? stream_methods
                                     : ownership_.create ? owner_methods
                                                         : plain_methods,
                          .properties = properties,
                          .doc = doc.c_str(),
                          .base = base,
                          .open = true};
    Reference type(reinterpret_cast<PyObject *>(
        make_type(type_name(module, named.name_), sizeof(HandleObject), 0, table)));
    const Reference tag(PyUnicode_FromString(pointed_.tag));
    if (!type || !tag || PyObject_SetAttrString(type.get(), tag_name, tag.get())) return nullptr;
    return reinterpret_cast<PyTypeObject *>(type.release());
}

bool HandleClass::create(const HandleClass *portable, Creator *creator) {
    if (home_) {
        type_ = reinterpret_cast<PyTypeObject *>(imported_class(home_, name_).release());
        portable_type_ = type_;
        return type_ != nullptr;
    }
    creator_ = creator;
    portable_ = portable;
    if (portable && !(portable_type_ = make("PyGPU", *portable, nullptr))) return false;
    // Set only while `type_` is made: users must not derive from this type.
    if (portable) portable_type_->tp_flags |= Py_TPFLAGS_BASETYPE;
    type_ = make(api_.module, *this, portable_type_);
    if (portable) portable_type_->tp_flags &= ~Py_TPFLAGS_BASETYPE;
    if (!portable) portable_type_ = type_;
    if (type_) kinds().push_back(this);
    return type_ != nullptr;
}

HandleClass *HandleClass::of(PyTypeObject *type) {
    for (HandleClass *kind : kinds()) {
        if (kind->type_ == type || kind->portable_type_ == type) return kind;
    }
    return nullptr;
}

const HandleClass *HandleClass::unwrap(PyObject *object, void *&handle) {
    if (Py_TYPE(object)->tp_dealloc != destroy) return nullptr;
    handle = object_of(object)->handle;
    return object_of(object)->kind;
}

bool HandleClass::takes(PyObject *object) const {
    const Reference tag = tag_of(object);
    auto is_tag = [&](const char *one) { return one && !PyUnicode_CompareWithASCIIString(tag.get(), one); };
    return tag && (is_tag(pointed_.tag) || std::ranges::any_of(pointed_.also, is_tag));
}

Reference HandleClass::taken(PyObject *object) const {
    if (takes(object)) return Reference::borrow(object);
    Reference other = is_kernel() ? kernel_of_all_contexts(object) : Reference();
    return other && takes(other.get()) ? std::move(other) : Reference();
}

PyObject *HandleClass::wrap(void *handle) {
    if (!home_) return pygpu::make(*this, handle);
    return PyObject_CallFunction(reinterpret_cast<PyObject *>(type_), "K",
                                 static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(handle)));
}

const char *HandleClass::shown_name(const ArgumentContext &context) const {
    return context.self && portable_ && mode_of(context.self).renames() ? portable_->name_ : name_;
}

bool HandleClass::load_address(PyObject *object, const ArgumentContext &context, void *&handle) {
    Converter<std::uintptr_t> address;
    if (!address.load(object, context)) return false;
    handle = reinterpret_cast<void *>(address.value());
    return true;
}

bool HandleClass::load(PyObject *object, const ArgumentContext &context, void *&handle) {
    if (Py_TYPE(object) != type_ || home_) return load_other(object, context, handle);
    handle = object_of(object)->handle;
    if (handle || !object_of(object)->left) [[likely]]
        return true;
    PyErr_Format(PyExc_ValueError, ended_in_block, name_); // null would mean C's default stream
    return false;
}

bool HandleClass::refuse(PyObject *object, const ArgumentContext &context) const {
    const std::string expected = std::string("a ") + shown_name(context) + ", an address (int) or None";
    return type_error(context, expected.c_str(), object);
}

bool HandleClass::load_other(PyObject *object, const ArgumentContext &context, void *&handle) {
    if (const OtherOwners::OwnerType *other = owner_type_of(object))
        return other->role == role_ ? other->give(object, handle) : refuse(object, context);
    if (Py_TYPE(object) == type_) {
        const Reference address(PyNumber_Long(object));
        return address && load_address(address.get(), context, handle);
    }
    if (object == Py_None) return true;
    if (PyLong_CheckExact(object)) return load_address(object, context, handle);
    if (const Reference other = taken(object); other || PyErr_Occurred())
        return other && load_any_handle(other.get(), handle) && !PyErr_Occurred();
    Reference address;
    switch (is_stream() ? foreign_stream(object, address) : ForeignStream::none) {
    case ForeignStream::address:
        return load_address(address.get(), context, handle);
    case ForeignStream::malformed:
        return type_error(context, "a stream whose __cuda_stream__ gives (0, address)", object);
    case ForeignStream::failed:
        return false;
    case ForeignStream::none:
        break;
    }
    // Memory has an address, too, but is no handle.
    return is_number(object) && !pointer_provider_of(object) ? load_address(object, context, handle)
                                                             : refuse(object, context);
}

bool load_any_handle(PyObject *object, void *&handle) {
    if (HandleClass::unwrap(object, handle)) return true;
    if (!tag_of(object)) return false;
    const Reference address(PyNumber_Long(object));
    if (address) handle = PyLong_AsVoidPtr(address.get());
    return true;
}

bool is_foreign_kernel(PyObject *object) {
    return std::ranges::any_of(kinds(), [=](const HandleClass *kind) {
        return kind->is_kernel() && (Py_TYPE(object) == kind->type() || kind->takes(object));
    });
}

Reference kernel_of_all_contexts(PyObject *object) {
    static PyObject *const name = PyUnicode_InternFromString("_c_kernel_");
    if (!name || !_PyType_Lookup(Py_TYPE(object), name)) return {};
    Reference kernel(PyObject_GetAttr(object, name));
    return kernel && kernel.get() != Py_None ? std::move(kernel) : Reference();
}

void disown(PyObject *object) {
    if (HandleClass::of(Py_TYPE(object))) {
        other_owners->disowned_any = true;
        object_of(object)->owner = {};
        object_of(object)->destroyed = true;
        return;
    }
    if (const OtherOwners::OwnerType *other = owner_type_of(object)) {
        other_owners->disowned_any = true;
        other->give_up(object);
        return;
    }
    if (!tag_of(object)) return;
    const Reference done(PyObject_CallMethod(object, disown_name, nullptr)); // a handle of another module
    if (!done) PyErr_WriteUnraisable(object);
}

void end_handle(PyObject *object) {
    disown(object);
    if (HandleClass::of(Py_TYPE(object))) object_of(object)->handle = nullptr;
}

bool is_destroyed(PyObject *object) {
    return HandleClass::of(Py_TYPE(object)) && object_of(object)->destroyed;
}

void add_owner(destructor kind, HandleRole role, GiveHandle give, GiveUp give_up) {
    other_owners->types.at(other_owners->count++) = {kind, role, give, give_up};
}

} // namespace pygpu
