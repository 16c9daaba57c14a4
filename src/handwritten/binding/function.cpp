// Making function objects.
#include "binding/function.hpp"

#include "binding/docstring.hpp"
#include "binding/mode.hpp"
#include "python/reference.hpp"

#include <string>

namespace pygpu {
namespace {

// Function objects point into these for as long as the process lives.
PyMethodDef *keep(const FunctionRecord &names, FastCall *call, bool raising) {
    const auto *doc = new std::string(docstring(names, raising));
    return new PyMethodDef{names.name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call)),
                           METH_FASTCALL | METH_KEYWORDS, doc->c_str()};
}

} // namespace

PyObject *make_function(PyObject *self, const char *qualified, const FunctionRecord &names, FastCall *call) {
    Reference module(PyUnicode_InternFromString(qualified));
    if (!module) return nullptr;
    return PyCFunction_NewEx(keep(names, call, mode_of(self).raising), self, module.get());
}

} // namespace pygpu
