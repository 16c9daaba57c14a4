// The names of one vendor's API for the functions and values of another vendor's API.
#pragma once

#include "base/text_table.hpp"
#include "binding/function.hpp"
#include "binding/mode.hpp"
#include "binding/status_type.hpp"

#include <Python.h>

#include <cstddef>
#include <span>
#include <vector>

namespace pygpu {

struct Vendor;

// One row for each name on HIP that CUDA's name stands for. HIP's name may change with its releases.
struct PortableName {
    struct Literal {
        const char *cuda;
        const char *hip; // or a name of CUDA: of a value, or of a function that does the same
        short since = 0; // the releases of HIP with this name: 602 is 6.2
        short until = 9999;
        const Function *adapted = nullptr; // a function with CUDA's form, if HIP's form differs
    };

    TableText cuda;
    TableText hip;
    short since{};
    short until{};
    const Function *adapted{};

    constexpr void read(const Literal &row, auto text) {
        text(cuda, offsetof(PortableName, cuda), row.cuda);
        text(hip, offsetof(PortableName, hip), row.hip);
        since = row.since;
        until = row.until;
        adapted = row.adapted;
    }
};

// The names of one of CUDA's APIs, for the functions of one of HIP's APIs. Generated, and never destroyed.
class PortableApi {
public:
    // `api` is CUDA's namespace. `error_classes` are the names of CUDA's class of statuses: first the class's
    // own name, then the aliases. `names` are sorted by CUDA's name. `own_struct` returns a class of PyGPU
    // for a struct of CUDA that HIP doesn't have, borrowed; null for any other name. It is null if there are
    // no such classes.
    PortableApi(Vendor &(&hip)(), const char *api, std::span<const char *const> error_classes,
                std::span<const PortableName> names, PyTypeObject *(*own_struct)(const char *cuda) = nullptr)
        : hip_(hip), api_(api), error_classes_(error_classes), names_(names), own_struct_(own_struct) {}

    const char *api() const { return api_; }

    // CUDA's records of functions, by the records of the HIP functions that are called for them.
    const RecordsByServing &records() const { return records_; }

    // CUDA's name for a name of HIP, or null.
    const char *cuda_name_of(const char *hip) const;

    // CUDA's class of statuses with HIP's codes: made on first use, null with the exception set.
    StatusType *errors();

    // The module of CUDA's names with HIP's functions: made on first use. Borrowed; null with the exception
    // set.
    PyObject *module(bool raising);

    // The object behind a name that is not a function's, a new reference. AttributeError if HIP has none.
    PyObject *value(PyObject *module, PyObject *name);

    // The PortableApi that a mode belongs to; null for a mode with the API's own names.
    static PortableApi *of(const BindingMode &mode);

private:
    std::span<const PortableName> spans(const char *cuda) const;
    const PortableName *find(const char *cuda) const;
    std::span<const StatusCode> codes();
    PyObject *find_value(const BindingMode &mode, const char *cuda);
    PyObject *make_module(bool raising);

    Vendor &(&hip_)();
    const char *api_;
    std::span<const char *const> error_classes_;
    std::span<const PortableName> names_;
    PyTypeObject *(*own_struct_)(const char *cuda);
    RecordsByServing records_;
    std::vector<StatusCode> codes_;
    StatusType *errors_ = nullptr;
    PyObject *modules_[2] = {};
};

} // namespace pygpu
