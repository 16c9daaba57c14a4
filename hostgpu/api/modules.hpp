// Modules, libraries and their kernels, for the APIs that have them under these names.
#pragma once

#include "base/status.hpp"
#include "base/types.hpp"
#include "code/launch.hpp"

namespace pygpu::host::api {

Status ModuleLoad(ModuleTag **module, const char *path);
Status ModuleLoadData(ModuleTag **module, const void *image);
Status ModuleLoadDataEx(ModuleTag **module, const void *image, unsigned number, int *options, void **values);
Status ModuleUnload(ModuleTag *module);
Status ModuleGetFunction(FunctionTag **function, ModuleTag *module, const char *name);
Status ModuleGetGlobal(void **pointer, std::size_t *size, ModuleTag *module, const char *name);
Status ModuleGetFunctionCount(unsigned *count, ModuleTag *module);
Status ModuleEnumerateFunctions(FunctionTag **functions, unsigned number, ModuleTag *module);

Status LibraryLoadData(LibraryTag **library, const void *code, int *jit_options, void **jit_values,
                       unsigned jit_number, int *options, void **values, unsigned number);
Status LibraryLoadFromFile(LibraryTag **library, const char *path, int *jit_options, void **jit_values,
                           unsigned jit_number, int *options, void **values, unsigned number);
Status LibraryUnload(LibraryTag *library);
Status LibraryGetKernel(FunctionTag **kernel, LibraryTag *library, const char *name);
Status LibraryGetKernelCount(unsigned *count, LibraryTag *library);
Status LibraryEnumerateKernels(FunctionTag **kernels, unsigned number, LibraryTag *library);
Status LibraryGetModule(ModuleTag **module, LibraryTag *library);
Status LibraryGetGlobal(void **pointer, std::size_t *size, LibraryTag *library, const char *name);
Status LibraryGetUnifiedFunction(void **function, LibraryTag *library, const char *name);
Status LibraryGetManaged(void **pointer, std::size_t *size, LibraryTag *library, const char *name);

Status FuncGetName(const char **name, FunctionTag *function);
Status FuncGetModule(ModuleTag **module, FunctionTag *function);
Status FuncGetParamInfo(FunctionTag *function, std::size_t index, std::size_t *offset, std::size_t *size);
Status FuncGetParamCount(FunctionTag *function, std::size_t *count);
Status FuncGetAttribute(int *value, int attribute, FunctionTag *function);
Status FuncSetAttribute(FunctionTag *function, int attribute, int value);

// Where a parameter of a kernel lies; not_supported where its code doesn't say.
Status get_parameter_info(const Kernel &kernel, std::size_t index, std::size_t *offset, std::size_t *size);

// `arguments` has a pointer to each value; or else `extra` says where one block with all values is.
Status ModuleLaunchKernel(FunctionTag *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                          unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                          StreamTag *stream, void **arguments, void **extra);
Status launch_function(FunctionTag *function, const Launch &launch, void **arguments, void **extra);
Status launch_function(FunctionTag *function, const Launch &launch, const std::shared_ptr<Stream> &on,
                       void **arguments, void **extra);

// Linking
Status LinkCreate(unsigned number, int *options, void **values, LinkTag **link);
Status LinkAddData(LinkTag *link, int kind, void *data, std::size_t size, const char *name, unsigned number,
                   int *options, void **values);
Status LinkAddFile(LinkTag *link, int kind, const char *path, unsigned number, int *options, void **values);
Status LinkComplete(LinkTag *link, void **image, std::size_t *size);
Status LinkDestroy(LinkTag *link);

} // namespace pygpu::host::api
