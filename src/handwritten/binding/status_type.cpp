// The objects of status codes.
#include "binding/status_type.hpp"

#include "binding/status_base.hpp"
#include "runtime/api.hpp"

#include <algorithm>

namespace pygpu {
namespace {

std::vector<StatusType *> &kinds() {
    static std::vector<StatusType *> all;
    return all;
}

} // namespace

bool StatusType::adopt(PyTypeObject *type) {
    type_ = type;
    kinds().push_back(this);
    dense_.resize(dense_limit, nullptr);
    for (const StatusCode &known : codes_) {
        PyObject *object = make(known.code);
        if (!object) return false;
        // Names that share a code share the object.
        PyObject *&slot = known.code >= 0 && known.code < dense_limit
                              ? dense_[static_cast<std::size_t>(known.code)]
                              : sparse_[known.code];
        if (slot)
            Py_DECREF(object);
        else
            slot = object;
        if (PyObject_SetAttrString(reinterpret_cast<PyObject *>(type_), known.name, slot)) return false;
    }
    success_ = dense_[0];
    return true;
}

PyObject *StatusType::make(int code, int detail) {
    auto *object = PyObject_New(StatusObject, type_);
    if (!object) return nullptr;
    object->kind = this;
    object->code = code;
    object->detail = detail;
    return reinterpret_cast<PyObject *>(object);
}

PyObject *StatusType::find(int code) {
    const int detailed = api_.statuses.detailed;
    if (const int first = code & ((1 << detail_shift) - 1); first == detailed && first != code && code > 0)
        return make(first, code >> detail_shift);
    if (code >= 0 && code < dense_limit) {
        if (PyObject *known = dense_[static_cast<std::size_t>(code)]) return Py_NewRef(known);
    } else if (auto known = sparse_.find(code); known != sparse_.end()) {
        return Py_NewRef(known->second);
    }
    return make(code);
}

const char *StatusType::code_name(int code) const {
    auto row = std::ranges::lower_bound(codes_, code, {}, &StatusCode::code);
    return row != codes_.end() && row->code == code ? row->name : nullptr;
}

StatusType *StatusType::of(PyTypeObject *type) {
    for (StatusType *kind : kinds()) {
        if (kind->type_ == type) return kind;
    }
    return nullptr;
}

bool StatusType::check(PyObject *object) { return is_status_object(object); }

int StatusType::code_of(PyObject *self) { return reinterpret_cast<StatusObject *>(self)->code; }

int StatusType::number_of(PyObject *self) {
    const auto *status = reinterpret_cast<StatusObject *>(self);
    return status->code | status->detail << detail_shift;
}

} // namespace pygpu
