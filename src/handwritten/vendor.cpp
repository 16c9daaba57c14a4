// The vendors this build knows.
#include "vendor.hpp"

namespace pygpu {

const std::array<Vendor *, 2> vendors = {&cuda::vendor(), &hip::vendor()};

} // namespace pygpu
