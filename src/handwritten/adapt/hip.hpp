// HIP needs no adaptors so far: no function has changed its form between the listed releases.
#pragma once

#include "hip_runtime/types.hpp"
