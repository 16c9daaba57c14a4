// From HIP's types to those that both APIs share.
#pragma once

#include "hip_runtime/types.hpp"
#include "host/api/types.hpp"

#include <type_traits>

namespace pygpu::host::hip {

namespace c = ::pygpu::hip;

// Scalars, void pointers, callbacks, and HIP's own structs stay as they are.
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

inline StreamTag *as(c::ihipStream_t *value) { return reinterpret_cast<StreamTag *>(value); }
inline StreamTag **as(c::ihipStream_t **value) { return reinterpret_cast<StreamTag **>(value); }
inline EventTag *as(c::ihipEvent_t *value) { return reinterpret_cast<EventTag *>(value); }
inline EventTag **as(c::ihipEvent_t **value) { return reinterpret_cast<EventTag **>(value); }
inline PoolTag *as(c::ihipMemPoolHandle_t *value) { return reinterpret_cast<PoolTag *>(value); }
inline PoolTag **as(c::ihipMemPoolHandle_t **value) { return reinterpret_cast<PoolTag **>(value); }
inline ArrayTag *as(c::hipArray *value) { return reinterpret_cast<ArrayTag *>(value); }
inline const ArrayTag *as(const c::hipArray *value) { return reinterpret_cast<const ArrayTag *>(value); }
inline ArrayTag **as(c::hipArray **value) { return reinterpret_cast<ArrayTag **>(value); }

template <class Ours, class Theirs> Ours same(Theirs value) {
    using A = std::remove_cv_t<std::remove_pointer_t<Ours>>;
    using B = std::remove_cv_t<std::remove_pointer_t<Theirs>>;
    static_assert(sizeof(A) == sizeof(B) && alignof(A) == alignof(B));
    if constexpr (std::is_pointer_v<Ours>)
        return reinterpret_cast<Ours>(value);
    else
        return __builtin_bit_cast(Ours, value);
}

static_assert(offsetof(Copy3D, dst_array) == offsetof(c::hipMemcpy3DParms, dstArray));
static_assert(offsetof(Copy3D, dst_ptr) == offsetof(c::hipMemcpy3DParms, dstPtr));
static_assert(offsetof(Copy3D, extent) == offsetof(c::hipMemcpy3DParms, extent));
static_assert(offsetof(Copy3D, kind) == offsetof(c::hipMemcpy3DParms, kind));
static_assert(offsetof(Pitched, ysize) == offsetof(c::hipPitchedPtr, ysize));
static_assert(offsetof(PoolProperties, max_size) == offsetof(c::hipMemPoolProps, maxSize));
static_assert(offsetof(Access, flags) == offsetof(c::hipMemAccessDesc, flags));
static_assert(offsetof(Channels, kind) == offsetof(c::hipChannelFormatDesc, f));

inline const Copy3D *as(const c::hipMemcpy3DParms *value) { return same<const Copy3D *>(value); }
inline Extent as(c::hipExtent value) { return same<Extent>(value); }
inline Extent *as(c::hipExtent *value) { return same<Extent *>(value); }
inline Pitched as(c::hipPitchedPtr value) { return same<Pitched>(value); }
inline Pitched *as(c::hipPitchedPtr *value) { return same<Pitched *>(value); }
inline Channels *as(c::hipChannelFormatDesc *value) { return same<Channels *>(value); }
inline const Channels *as(const c::hipChannelFormatDesc *value) { return same<const Channels *>(value); }
inline const PoolProperties *as(const c::hipMemPoolProps *value) {
    return same<const PoolProperties *>(value);
}
inline const Access *as(const c::hipMemAccessDesc *value) { return same<const Access *>(value); }
inline Location as(c::hipMemLocation value) { return same<Location>(value); }
inline Location *as(c::hipMemLocation *value) { return same<Location *>(value); }

} // namespace pygpu::host::hip
