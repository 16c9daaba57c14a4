// Module objects that carry a flavor.
#include "binding/mode.hpp"

#include "binding/error_type.hpp"

#include <new>

namespace pygpu {

const Row &shown(const Flavor &flavor, const Row &row) {
    const Row *cuda = flavor.cuda_row ? flavor.cuda_row(row) : nullptr;
    return cuda ? *cuda : row;
}

PyObject *make_flavor(const char *name, const char *doc, const Flavor &flavor) {
    auto *definition = new PyModuleDef{}; // a module keeps a pointer to its definition
    definition->m_base = PyModuleDef_HEAD_INIT;
    definition->m_name = name;
    definition->m_doc = doc;
    definition->m_size = sizeof(Flavor);
    PyObject *module = PyModule_Create(definition);
    if (module) new (PyModule_GetState(module)) Flavor(flavor);
    return module;
}

} // namespace pygpu
