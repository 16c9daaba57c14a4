// Making the function objects of a module.
#include "binding/function.hpp"

#include "binding/checked_doc.hpp"
#include "binding/mode.hpp"
#include "python/reference.hpp"

#include <string>

namespace pygpu {
namespace {

// Function objects point into these for as long as the process lives.
PyMethodDef *keep(const char *name, FastCall *call, const char *doc) {
    return new PyMethodDef{name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call)),
                           METH_FASTCALL | METH_KEYWORDS, doc};
}

const char *doc_of(const FunctionRecord &record, bool raising) {
    return raising ? (new std::string(checked_doc(record)))->c_str() : record.doc;
}

} // namespace

PyObject *make_function(PyObject *self, const char *qualified, const FunctionRecord &names, FastCall *call) {
    Reference module(PyUnicode_InternFromString(qualified));
    if (!module) return nullptr;
    return PyCFunction_NewEx(keep(names.name, call, doc_of(names, mode_of(self).raising)), self,
                             module.get());
}

bool add_functions(PyObject *module, const char *qualified, std::span<const Function> functions) {
    for (const Function &function : functions) {
        Reference object(make_function(module, qualified, *function.record, function.call));
        if (!object || PyObject_SetAttrString(module, function.record->name, object.get())) return false;
    }
    return true;
}

} // namespace pygpu
