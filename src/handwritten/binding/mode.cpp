// Module objects that provide a mode.
#include "binding/mode.hpp"

#include <new>

namespace pygpu {

const FunctionRecord &shown(const BindingMode &mode, const FunctionRecord &record) {
    if (!mode.cuda_records) return record;
    const auto renamed = mode.cuda_records->find(&record);
    return renamed == mode.cuda_records->end() ? record : *renamed->second;
}

PyObject *make_mode_module(const char *name, const char *doc, const BindingMode &mode) {
    auto *definition = new PyModuleDef{}; // a module keeps a pointer to its definition
    definition->m_base = PyModuleDef_HEAD_INIT;
    definition->m_name = name;
    definition->m_doc = doc;
    definition->m_size = sizeof(BindingMode);
    PyObject *module = PyModule_Create(definition);
    if (module) new (PyModule_GetState(module)) BindingMode(mode);
    return module;
}

} // namespace pygpu
