// The arguments of one launch of a kernel whose parameters are known, and the arrays among them.
#pragma once

#include "arrays/memory/buffer.hpp"
#include "arrays/streams/argument.hpp"
#include "binding/argument_context.hpp"
#include "kernels/parameters.hpp"
#include "python/reference.hpp"
#include "types/launch/short_array.hpp"
#include "types/launch/values.hpp"

#include <Python.h>

#include <span>
#include <vector>

namespace pygpu::kernels {

// Ints and floats get the parameter's type, if that is certain. The address of PyGPU's arrays doesn't escape:
// the launch is recorded as a use of their memory.
class LaunchArguments {
public:
    // `parameters` is null if nothing is known of them. False with an exception set that names the kernel and
    // the argument. The given objects must live as long as this one.
    bool load(const char *call, std::span<PyObject *const> objects, const std::vector<Parameter> *parameters,
              const ArgumentContext &context);

    void **pointers() const { return values_.pointers(); }
    // The streams that foreign arrays name: the launch comes after the work that is queued there.
    std::span<const arrays::StreamArgument> producers() const { return producers_; }
    // The uses of the arrays' memory. Each begins when its argument is read, so that code that a later
    // argument runs can't free the memory.
    std::span<arrays::Buffer::Using> uses() { return uses_.all(); }
    std::span<const arrays::Buffer::Using> uses() const { return uses_.all(); }

private:
    bool load_one(const char *call, PyObject *object, const Parameter *parameter,
                  const ArgumentContext &context);
    bool load_array(const char *call, arrays::Buffer &buffer, char *data);
    bool load_lent(const char *call, PyObject *object, PyObject *&lent);
    bool load_tensor(const char *call, PyObject *object, PyObject *&lent);
    bool borrow(const char *call, PyObject *object, PyObject *&lent);
    bool load_bare(PyObject *object, const Parameter &parameter, const ArgumentContext &context);

    LaunchValues values_;
    ShortArray<arrays::Buffer::Using, 16> uses_;
    std::vector<arrays::StreamArgument> producers_;
    std::vector<Reference> kept_; // these streams, and arrays on memory that other libraries lend by DLPack
};

} // namespace pygpu::kernels
