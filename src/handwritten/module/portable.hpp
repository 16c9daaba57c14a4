// One API's names for the functions and values of another vendor's.
#pragma once

#include "binding/function.hpp"
#include "binding/mode.hpp"
#include "binding/status_type.hpp"
#include "runtime/text_table.hpp"

#include <Python.h>

#include <cstddef>
#include <span>
#include <vector>

namespace pygpu {

struct Vendor;

// One for each name of HIP's that it stands for over the releases: a later spelling is no earlier one.
struct PortableName {
    struct Written {
        const char *cuda;
        const char *hip; // or CUDA's own: a value, or a function that does the same
        short since = 0; // the releases of HIP that have it so: 602 is 6.2
        short until = 9999;
        const Function *adapted = nullptr; // CUDA's form, where HIP's is another
    };

    TableText cuda;
    TableText hip;
    short since{};
    short until{};
    const Function *adapted{};

    constexpr void read(const Written &row, auto text) {
        text(cuda, offsetof(PortableName, cuda), row.cuda);
        text(hip, offsetof(PortableName, hip), row.hip);
        since = row.since;
        until = row.until;
        adapted = row.adapted;
    }
};

// The names of one of CUDA's APIs, served by one of HIP's. Generated, and kept for ever.
class PortableApi {
public:
    // `api` is CUDA's namespace, `error_classes` are the names of its class of statuses, the class's own
    // first; `names` are sorted by CUDA's name.
    PortableApi(Vendor &(&hip)(), const char *api, std::span<const char *const> error_classes,
                std::span<const PortableName> names)
        : hip_(hip), api_(api), error_classes_(error_classes), names_(names) {}

    const char *api() const { return api_; }

    // CUDA's records of functions, by those of HIP's that serve them.
    const RecordsByServing &records() const { return records_; }

    // CUDA's name for HIP's, or null.
    const char *cuda_name_of(const char *hip) const;

    // CUDA's class of statuses with HIP's codes: made on first use, null with the exception set.
    StatusType *errors();

    // The module of CUDA's names with HIP's functions: made on first use. Borrowed; null with the exception
    // set, as the next.
    PyObject *module(bool raising);

    // What a name stands for that is no function's, a new reference; AttributeError where HIP has nothing.
    PyObject *value(PyObject *module, PyObject *name);

    // Whose functions those of this mode are; null for a mode of its API's own names.
    static PortableApi *of(const BindingMode &mode);

    // Classes of PyGPU's own that stand for CUDA's structs: null for another name. Null where there are none.
    PyTypeObject *(*own_struct)(const char *cuda) = nullptr;

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
    RecordsByServing records_;
    std::vector<StatusCode> codes_;
    StatusType *errors_ = nullptr;
    PyObject *modules_[2] = {};
};

} // namespace pygpu
