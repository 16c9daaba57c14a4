// From CUDA's types to those that both APIs share.
#pragma once

#include "cuda_runtime/types.hpp"
#include "host/api/types.hpp"

#include <type_traits>

namespace pygpu::host::cuda {

namespace c = ::pygpu::cuda;

// Scalars, void pointers, callbacks, and CUDA's own structs stay as they are.
template <class Value>
Value as(Value value)
    requires(!std::is_enum_v<Value>)
{
    return value;
}
template <class Enum>
int as(Enum value)
    requires std::is_enum_v<Enum>
{
    return static_cast<int>(value);
}
template <class Enum>
int *as(Enum *value)
    requires std::is_enum_v<Enum>
{
    return reinterpret_cast<int *>(value);
}

inline StreamTag *as(c::CUstream_st *value) { return reinterpret_cast<StreamTag *>(value); }
inline StreamTag **as(c::CUstream_st **value) { return reinterpret_cast<StreamTag **>(value); }
inline EventTag *as(c::CUevent_st *value) { return reinterpret_cast<EventTag *>(value); }
inline EventTag **as(c::CUevent_st **value) { return reinterpret_cast<EventTag **>(value); }
inline PoolTag *as(c::CUmemPoolHandle_st *value) { return reinterpret_cast<PoolTag *>(value); }
inline PoolTag **as(c::CUmemPoolHandle_st **value) { return reinterpret_cast<PoolTag **>(value); }
inline ArrayTag *as(c::cudaArray *value) { return reinterpret_cast<ArrayTag *>(value); }
inline const ArrayTag *as(const c::cudaArray *value) { return reinterpret_cast<const ArrayTag *>(value); }
inline ArrayTag **as(c::cudaArray **value) { return reinterpret_cast<ArrayTag **>(value); }

template <class Ours, class Theirs> Ours same(Theirs value) {
    using A = std::remove_cv_t<std::remove_pointer_t<Ours>>;
    using B = std::remove_cv_t<std::remove_pointer_t<Theirs>>;
    static_assert(sizeof(A) == sizeof(B) && alignof(A) == alignof(B));
    if constexpr (std::is_pointer_v<Ours>)
        return reinterpret_cast<Ours>(value);
    else
        return __builtin_bit_cast(Ours, value);
}

static_assert(offsetof(Copy3D, dst_array) == offsetof(c::cudaMemcpy3DParms, dstArray));
static_assert(offsetof(Copy3D, dst_ptr) == offsetof(c::cudaMemcpy3DParms, dstPtr));
static_assert(offsetof(Copy3D, extent) == offsetof(c::cudaMemcpy3DParms, extent));
static_assert(offsetof(Copy3D, kind) == offsetof(c::cudaMemcpy3DParms, kind));
static_assert(offsetof(Pitched, ysize) == offsetof(c::cudaPitchedPtr, ysize));
static_assert(offsetof(PoolProperties, max_size) == offsetof(c::cudaMemPoolProps, maxSize));
static_assert(offsetof(Access, flags) == offsetof(c::cudaMemAccessDesc, flags));
static_assert(offsetof(Channels, kind) == offsetof(c::cudaChannelFormatDesc, f));

inline const Copy3D *as(const c::cudaMemcpy3DParms *value) { return same<const Copy3D *>(value); }
inline Extent as(c::cudaExtent value) { return same<Extent>(value); }
inline Extent *as(c::cudaExtent *value) { return same<Extent *>(value); }
inline Pitched as(c::cudaPitchedPtr value) { return same<Pitched>(value); }
inline Pitched *as(c::cudaPitchedPtr *value) { return same<Pitched *>(value); }
inline Channels *as(c::cudaChannelFormatDesc *value) { return same<Channels *>(value); }
inline const Channels *as(const c::cudaChannelFormatDesc *value) { return same<const Channels *>(value); }
inline const PoolProperties *as(const c::cudaMemPoolProps *value) {
    return same<const PoolProperties *>(value);
}
inline const Access *as(const c::cudaMemAccessDesc *value) { return same<const Access *>(value); }
inline Location as(c::cudaMemLocation value) { return same<Location>(value); }
inline Location *as(c::cudaMemLocation *value) { return same<Location *>(value); }

} // namespace pygpu::host::cuda
