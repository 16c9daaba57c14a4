// Texture references as HIP has them: structs that a program fills in, or these functions do. Those that
// HIP's compilers declare can be bound; no code here comes from them, so none is known that could be. Checks:
// hip_texture.cpp of ROCm/clr's hipamd/src.
#include "api/hip/implemented.hpp"
#include "api/textures.hpp"
#include "hip_runtime/enumerators.hpp"

namespace pygpu::host::hip {
namespace {

using Reference = c::textureReference;

constexpr unsigned override_format = 1, as_integer = 1, normalized = 2, srgb = 16;

// `to` takes a field, whatever type its enumerators have in C.
template <class To, class From> Status give(To *to, const Reference *from, From Reference::*field) {
    if (!to || !from) return Status::invalid_value;
    *to = static_cast<To>(from->*field);
    return Status::success;
}

template <class To, class From> Status take(Reference *to, To Reference::*field, From value) {
    if (!to) return Status::invalid_value;
    to->*field = static_cast<To>(value);
    return Status::success;
}

// What a reference is bound to.
Status bound(const Reference *from, c::hipResourceDesc &resource) {
    if (!from || !from->textureObject) return Status::invalid_value;
    return GetTextureObjectResourceDesc(&resource, from->textureObject);
}

// A compiler's reference is known by its address, as a variable is.
Status bind_declared(bool complete) { return complete ? Status::invalid_symbol : Status::invalid_value; }
// One of a module likewise.
Status bind_loaded(bool complete) { return complete ? Status::not_found : Status::invalid_value; }

} // namespace

Status BindTexture(std::size_t *, const Reference *, const void *, const Channels *, std::size_t) {
    return bind_declared(true);
}
Status BindTexture2D(std::size_t *, const Reference *, const void *, const Channels *, std::size_t,
                     std::size_t, std::size_t) {
    return bind_declared(true);
}
Status BindTextureToArray(const Reference *reference, const ArrayTag *array, const Channels *channels) {
    return bind_declared(reference && array && channels);
}
Status BindTextureToMipmappedArray(const Reference *, const MipmapTag *, const Channels *) {
    return bind_declared(true);
}

Status UnbindTexture(const Reference *reference) {
    if (!reference) return Status::invalid_value;
    const Status status = DestroyTextureObject(reference->textureObject);
    if (status == Status::success) const_cast<Reference *>(reference)->textureObject = nullptr;
    return status;
}

Status GetTextureAlignmentOffset(std::size_t *offset, const Reference *reference) {
    if (!offset || !reference) return Status::invalid_value;
    *offset = 0;
    return Status::success;
}

Status GetTextureReference(const Reference **reference, const void *symbol) {
    if (!reference) return Status::invalid_value;
    *reference = static_cast<const Reference *>(symbol);
    return Status::success;
}

Status ModuleGetTexRef(Reference **reference, ModuleTag *module, const char *name) {
    if (!reference || !name || !*name) return Status::invalid_value;
    return module ? Status::not_found : Status::invalid_resource_handle;
}

Status TexRefSetArray(Reference *reference, const ArrayTag *array, unsigned flags) {
    return bind_loaded(reference && array && flags == override_format);
}
Status TexRefSetMipmappedArray(Reference *reference, MipmapTag *mipmap, unsigned flags) {
    return bind_loaded(reference && mipmap && flags == override_format);
}
Status TexRefSetAddress(std::size_t *, Reference *reference, void *, std::size_t) {
    return bind_loaded(reference);
}
Status TexRefSetAddress2D(Reference *reference, const c::HIP_ARRAY_DESCRIPTOR *wanted, void *, std::size_t) {
    return bind_loaded(reference && wanted);
}

Status TexRefGetArray(ArrayTag **array, const Reference *reference) {
    c::hipResourceDesc resource{};
    if (!array) return Status::invalid_value;
    if (const Status status = bound(reference, resource); status != Status::success) return status;
    if (resource.resType != c::hipResourceTypeArray) return Status::invalid_value;
    *array = reinterpret_cast<ArrayTag *>(resource.res.array.array);
    return Status::success;
}

Status TexRefGetMipMappedArray(MipmapTag **mipmap, const Reference *reference) {
    c::hipResourceDesc resource{};
    if (!mipmap) return Status::invalid_value;
    if (const Status status = bound(reference, resource); status != Status::success) return status;
    if (resource.resType != c::hipResourceTypeMipmappedArray) return Status::invalid_value;
    *mipmap = reinterpret_cast<MipmapTag *>(resource.res.mipmap.mipmap);
    return Status::success;
}

Status TexRefGetAddress(void **address, const Reference *reference) {
    c::hipResourceDesc resource{};
    if (!address) return Status::invalid_value;
    if (const Status status = bound(reference, resource); status != Status::success) return status;
    if (resource.resType == c::hipResourceTypeLinear)
        *address = resource.res.linear.devPtr;
    else if (resource.resType == c::hipResourceTypePitch2D)
        *address = resource.res.pitch2D.devPtr;
    else
        return Status::invalid_value;
    return Status::success;
}

Status TexRefSetFormat(Reference *reference, int format, int count) {
    const Status status = take(reference, &Reference::format, format);
    return status == Status::success ? take(reference, &Reference::numChannels, count) : status;
}
Status TexRefGetFormat(int *format, int *count, const Reference *reference) {
    if (!count) return Status::invalid_value;
    const Status status = give(format, reference, &Reference::format);
    return status == Status::success ? give(count, reference, &Reference::numChannels) : status;
}

Status TexRefSetFlags(Reference *reference, unsigned flags) {
    if (!reference) return Status::invalid_value;
    reference->readMode = flags & as_integer ? c::hipReadModeElementType : c::hipReadModeNormalizedFloat;
    reference->normalized = flags & normalized ? 1 : 0;
    reference->sRGB = flags & srgb ? 1 : 0;
    return Status::success;
}
Status TexRefGetFlags(unsigned *flags, const Reference *reference) {
    if (!flags || !reference) return Status::invalid_value;
    *flags = (reference->readMode == c::hipReadModeElementType ? as_integer : 0) |
             (reference->normalized == 1 ? normalized : 0) | (reference->sRGB == 1 ? srgb : 0);
    return Status::success;
}

Status TexRefSetAddressMode(Reference *reference, int dimension, int mode) {
    if (!reference || dimension < 0 || dimension > 2) return Status::invalid_value;
    reference->addressMode[dimension] = static_cast<c::hipTextureAddressMode>(mode);
    return Status::success;
}
Status TexRefGetAddressMode(int *mode, const Reference *reference, int dimension) {
    if (!mode || !reference || dimension < 0 || dimension > 1) return Status::invalid_value;
    *mode = static_cast<int>(reference->addressMode[dimension]);
    return Status::success;
}

Status TexRefSetFilterMode(Reference *reference, int mode) {
    return take(reference, &Reference::filterMode, mode);
}
Status TexRefGetFilterMode(int *mode, const Reference *reference) {
    return give(mode, reference, &Reference::filterMode);
}
Status TexRefSetMaxAnisotropy(Reference *reference, unsigned most) {
    return take(reference, &Reference::maxAnisotropy, most);
}
Status TexRefGetMaxAnisotropy(int *most, const Reference *reference) {
    return give(most, reference, &Reference::maxAnisotropy);
}
Status TexRefSetMipmapFilterMode(Reference *reference, int mode) {
    return take(reference, &Reference::mipmapFilterMode, mode);
}
Status TexRefSetMipmapLevelBias(Reference *reference, float bias) {
    return take(reference, &Reference::mipmapLevelBias, bias);
}
Status TexRefSetMipmapLevelClamp(Reference *reference, float least, float most) {
    const Status status = take(reference, &Reference::minMipmapLevelClamp, least);
    return status == Status::success ? take(reference, &Reference::maxMipmapLevelClamp, most) : status;
}

// These write the value, and still say that it is invalid, as AMD's runtime does.
Status TexRefGetMipmapFilterMode(int *mode, const Reference *reference) {
    give(mode, reference, &Reference::mipmapFilterMode);
    return Status::invalid_value;
}
Status TexRefGetMipmapLevelBias(float *bias, const Reference *reference) {
    give(bias, reference, &Reference::mipmapLevelBias);
    return Status::invalid_value;
}
Status TexRefGetMipmapLevelClamp(float *least, float *most, const Reference *reference) {
    if (least && most && reference) {
        *least = reference->minMipmapLevelClamp;
        *most = reference->maxMipmapLevelClamp;
    }
    return Status::invalid_value;
}

} // namespace pygpu::host::hip
