// Copies in the drivers' form: positions are in bytes, and each end is host memory, device memory or an
// array.
#pragma once

#include "api/copies_3d.hpp"
#include "api/find.hpp"

namespace pygpu::host {

enum class MemorySpace { host, device, array, either, nowhere };

// One end.
struct Operand {
    MemorySpace space;
    const void *host;
    const void *device;
    const ArrayTag *array;
    std::size_t x, y, z, pitch, height;
};

// A copy between them in the runtimes' form, as its node shows it. Both ends' elements are of the same size.
Copy3D in_runtime_form(const Operand &to, const Operand &from, const Size &size);
// And back.
void to_operands(const Copy3D &copy, Operand &to, Operand &from, Size &size);

// The same in the struct of a driver, whose name of a space type_of() gives.
template <class Theirs, class TypeOf> void give_operands(const Copy3D &copy, Theirs &theirs, TypeOf type_of) {
    Operand to{}, from{};
    Size size{};
    to_operands(copy, to, from, size);
    theirs = {};
    theirs.srcXInBytes = from.x;
    theirs.srcY = from.y;
    theirs.srcZ = from.z;
    theirs.srcMemoryType = type_of(from.space);
    theirs.srcHost = from.host;
    theirs.srcDevice = __builtin_bit_cast(decltype(theirs.srcDevice), from.device);
    theirs.srcArray = __builtin_bit_cast(decltype(theirs.srcArray), from.array);
    theirs.srcPitch = from.pitch;
    theirs.srcHeight = from.height;
    theirs.dstXInBytes = to.x;
    theirs.dstY = to.y;
    theirs.dstZ = to.z;
    theirs.dstMemoryType = type_of(to.space);
    theirs.dstHost = const_cast<void *>(to.host);
    theirs.dstDevice = __builtin_bit_cast(decltype(theirs.dstDevice), to.device);
    theirs.dstArray = __builtin_bit_cast(decltype(theirs.dstArray), to.array);
    theirs.dstPitch = to.pitch;
    theirs.dstHeight = to.height;
    theirs.WidthInBytes = size.width;
    theirs.Height = size.height;
    theirs.Depth = size.depth;
}

// The ends of a copy in a driver's struct.
template <class Theirs, class SpaceOf> Operand target_of(const Theirs &theirs, SpaceOf space_of) {
    return {space_of(theirs.dstMemoryType),
            theirs.dstHost,
            __builtin_bit_cast(const void *, theirs.dstDevice),
            __builtin_bit_cast(const ArrayTag *, theirs.dstArray),
            theirs.dstXInBytes,
            theirs.dstY,
            theirs.dstZ,
            theirs.dstPitch,
            theirs.dstHeight};
}
template <class Theirs, class SpaceOf> Operand source_of(const Theirs &theirs, SpaceOf space_of) {
    return {space_of(theirs.srcMemoryType),
            theirs.srcHost,
            __builtin_bit_cast(const void *, theirs.srcDevice),
            __builtin_bit_cast(const ArrayTag *, theirs.srcArray),
            theirs.srcXInBytes,
            theirs.srcY,
            theirs.srcZ,
            theirs.srcPitch,
            theirs.srcHeight};
}

Status copy_operands(const std::shared_ptr<Stream> &stream, const Operand &to, const Operand &from,
                     const Size &size, Return when);

} // namespace pygpu::host
