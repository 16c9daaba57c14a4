// Which release an opened library is, found without starting a driver.
#pragma once

#include <string>

namespace pygpu {

struct Api;

// Whether it is PyGPU's own runtime for the CPU.
bool is_host_runtime(void *library);

// "13.0", "6.2": from the version call if that needs no driver, else from SONAME and file name, else what
// ReleaseCall::otherwise says. "" if unknown.
std::string release_of(const Api &api, void *library);

} // namespace pygpu
