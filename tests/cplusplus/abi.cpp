// Compares the structures of PyGPU/detail/dlpack.h with those of the official header.
#include "PyGPU/detail/dlpack.h"
#include "PyGPU/device_span.h"

#include <dlpack/dlpack.h>

#include <cstddef>

namespace ours = pygpu::detail;

#define SAME(one, other)                                                                                     \
    static_assert(offsetof(ours::dl_tensor, one) == offsetof(DLTensor, other));                              \
    static_assert(sizeof(ours::dl_tensor::one) == sizeof(DLTensor::other))
SAME(data, data);
static_assert(offsetof(ours::dl_tensor, device_type) == offsetof(DLTensor, device));
static_assert(offsetof(ours::dl_tensor, device_id) ==
              offsetof(DLTensor, device) + offsetof(DLDevice, device_id));
SAME(ndim, ndim);
static_assert(offsetof(ours::dl_tensor, code) == offsetof(DLTensor, dtype));
static_assert(offsetof(ours::dl_tensor, bits) == offsetof(DLTensor, dtype) + offsetof(DLDataType, bits));
static_assert(offsetof(ours::dl_tensor, lanes) == offsetof(DLTensor, dtype) + offsetof(DLDataType, lanes));
SAME(shape, shape);
SAME(strides, strides);
SAME(byte_offset, byte_offset);
static_assert(sizeof(ours::dl_tensor) == sizeof(DLTensor));

static_assert(sizeof(ours::dl_managed) == sizeof(DLManagedTensor));
static_assert(offsetof(ours::dl_managed, deleter) == offsetof(DLManagedTensor, deleter));
static_assert(sizeof(ours::dl_managed_versioned) == sizeof(DLManagedTensorVersioned));
static_assert(offsetof(ours::dl_managed_versioned, deleter) == offsetof(DLManagedTensorVersioned, deleter));
static_assert(offsetof(ours::dl_managed_versioned, flags) == offsetof(DLManagedTensorVersioned, flags));
static_assert(offsetof(ours::dl_managed_versioned, tensor) == offsetof(DLManagedTensorVersioned, dl_tensor));

static_assert(ours::dl_read_only == DLPACK_FLAG_BITMASK_READ_ONLY);
static_assert(ours::dl_copied == DLPACK_FLAG_BITMASK_IS_COPIED);

constexpr int number(DLDeviceType type) { return static_cast<int>(type); }
static_assert(pygpu::device::cpu == number(kDLCPU) && pygpu::device::cuda == number(kDLCUDA));
static_assert(pygpu::device::cuda_host == number(kDLCUDAHost));
static_assert(pygpu::device::rocm == number(kDLROCM) && pygpu::device::rocm_host == number(kDLROCMHost));
static_assert(pygpu::device::cuda_managed == number(kDLCUDAManaged));

constexpr int number(pygpu::kind kind) { return static_cast<int>(kind); }
static_assert(number(pygpu::kind::integer) == int(kDLInt) && number(pygpu::kind::natural) == int(kDLUInt));
static_assert(number(pygpu::kind::floating) == int(kDLFloat) &&
              number(pygpu::kind::bfloat) == int(kDLBfloat));
static_assert(number(pygpu::kind::complex) == int(kDLComplex) &&
              number(pygpu::kind::boolean) == int(kDLBool));
