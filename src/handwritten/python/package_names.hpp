// What C++ asks PyGPU's Python code for: all modules and attributes. No other file names them, which
// tools/check_layers.py checks, as well as that each of them exists.
#pragma once

#include <string>

namespace pygpu {

struct PackageName {
    const char *module;
    const char *name;
};

namespace package {

// Loading: the libraries to open for an API, the best first.
constexpr PackageName library_paths{"PyGPU._libraries", "paths"};
// Arrays and pointer wrappers: which runtime they stand on.
constexpr PackageName current_backend{"PyGPU._backend", "current"};
// A failed call: the GPUError of its status, with advice and the driver's log.
constexpr PackageName gpu_error{"PyGPU._errors", "gpu_error"};
// A missing attribute of an API's module: the error that looks for the name that was meant.
constexpr PackageName missing_name{"PyGPU._names.missing", "MissingNameError"};
// dir() of an API's module: help() gets no names, as it would list thousands.
constexpr PackageName help_asks_for_names{"PyGPU._base.help", "asks_for_names"};

// `_as_parameter_`: the ctypes object for an address with the type of its elements, and for memory without
// one.
constexpr PackageName typed_pointer{"PyGPU._base.c_pointers", "typed"};
constexpr PackageName memory_pointer{"PyGPU._base.c_pointers", "Memory"};

// The class of all arrays that C++ makes.
constexpr PackageName array_class{"PyGPU._arrays.array", "GPUArray"};
// GPUArray(data): the numpy array of any data, and the strides of a new array in its order of axes.
constexpr PackageName values_of_data{"PyGPU._arrays.values", "from_data"};
constexpr PackageName strides_like{"PyGPU._arrays.order", "like"};
// get(): a numpy array in the order of the array's axes.
constexpr PackageName empty_in_order{"PyGPU._arrays.order", "empty"};
// a[...] = value and a.fill(value): what numpy makes of the value.
constexpr PackageName elements_of_value{"PyGPU._arrays.values", "elements"};
constexpr PackageName pattern_of_value{"PyGPU._arrays.values", "pattern"};
// progress= of a copy: the callable, or a bar.
constexpr PackageName progress_callback{"PyGPU._arrays.progress", "callback"};
// The code of a kernel that moves elements, or None.
constexpr PackageName move_image{"PyGPU._moves", "image"};
// a[...] = b with another dtype: b as an array of that dtype.
constexpr PackageName converted_array{"PyGPU._arrays.casts", "converted"};
// numpy's warning for a cast of complex numbers to real ones.
constexpr PackageName lost_parts{"PyGPU._arrays.casts", "warn_of_lost_parts"};
// The wording of what arrays refuse: an index, the array interface, a tensor that lends
// nothing.
constexpr PackageName refused_index{"PyGPU._arrays.refuse", "index"};
constexpr PackageName refused_interface{"PyGPU._arrays.refuse", "interface"};
constexpr PackageName refused_lending{"PyGPU._arrays.refuse", "lends_nothing"};
// set() and get() with a numpy array of another shape: PyCUDA's warning.
constexpr PackageName shape_warning{"PyGPU._arrays.refuse", "warn_of_shape"};

// A stream's graph, and what the runtime alone says about a stream.
constexpr PackageName stream_call{"PyGPU._objects.calls", "call"};
constexpr PackageName stream_capture{"PyGPU._objects.capture", "capture"};
constexpr PackageName stream_priority{"PyGPU._objects.streams", "priority"};
constexpr PackageName stream_is_nonblocking{"PyGPU._objects.streams", "is_nonblocking"};

// The module of an API: its functions and types for other extension modules, and for the portable names.
inline std::string module_of(const char *api) { return std::string("PyGPU.") + api; }

} // namespace package
} // namespace pygpu
