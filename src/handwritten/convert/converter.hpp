// From a Python argument to a C value: Converter<T> for each type a wrapper may take.
//
// load() converts and checks, with the GIL held, and sets the exception when it returns false; fallback()
// takes the default of a parameter that was left out, if the default is not just null; value() is what the
// wrapper gets. A converter owns what must stay alive until the call is over.
#pragma once

#include <Python.h>

#include "binding/argument_errors.hpp"

namespace pygpu {

template <class T> struct Converter;

} // namespace pygpu
