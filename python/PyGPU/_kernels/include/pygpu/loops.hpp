// What the loops of elementwise kernels read and write arrays through: strides, and several elements at once.
#pragma once

extern "C++" {
namespace pygpu {

// The extents of a loop's axes, the outermost first, and the strides of each array in bytes.
template <int axes, int arrays> struct space {
    unsigned long long extents[axes];
    long long strides[arrays][axes];
};

// An array with strides: element i of the loop, in the order of the axes.
template <class T, int axes, class Index> struct strided {
    const char *first;
    const unsigned long long *extents;
    const long long *strides;

    __device__ T &operator[](unsigned long i) const {
        Index rest = Index(i);
        long long offset = 0;
#pragma unroll
        for (int axis = axes - 1; axis > 0; --axis) {
            const Index extent = Index(extents[axis]), next = rest / extent;
            offset += (long long)(rest - next * extent) * strides[axis];
            rest = next;
        }
        return *(T *)(first + offset + (long long)rest * strides[0]);
    }
    __device__ T &operator*() const { return (*this)[0]; }
};

template <int bytes> struct word;
template <> struct word<2> {
    typedef unsigned short type;
};
template <> struct word<4> {
    typedef unsigned type;
};
template <> struct word<8> {
    typedef uint2 type;
};
template <> struct word<16> {
    typedef uint4 type;
};

// Neighbouring elements that one instruction loads or stores.
template <class T, int count> struct pack {
    typedef typename word<sizeof(T) * count>::type whole;

    T items[count];

    __device__ void load(const T *from, unsigned long at) {
        const whole loaded = reinterpret_cast<const whole *>(from)[at];
        memcpy(items, &loaded, sizeof loaded);
    }
    __device__ void store(T *to, unsigned long at) const {
        whole stored;
        memcpy(&stored, items, sizeof stored);
        reinterpret_cast<whole *>(to)[at] = stored;
    }
};

// One element of a pack, whatever its index.
template <class T> struct lane {
    T &item;
    __device__ T &operator[](unsigned long) const { return item; }
};

} // namespace pygpu
}
