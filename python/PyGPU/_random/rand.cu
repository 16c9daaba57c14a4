// Philox4x32-10 without the vendor's headers (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
// 2011).
//
// Thread i computes block i of a sequence that the key names: 128 bits.
struct Block {
    unsigned x[4];
};

__device__ Block philox(unsigned long long counter, unsigned long long key) {
    Block b = {{(unsigned)counter, (unsigned)(counter >> 32), 0, 0}};
    unsigned k0 = key, k1 = key >> 32;
    for (int round = 0; round < 10; ++round) {
        const unsigned long long p0 = 0xD2511F53ull * b.x[0], p1 = 0xCD9E8D57ull * b.x[2];
        b = Block{{(unsigned)(p1 >> 32) ^ b.x[1] ^ k0, (unsigned)p1, (unsigned)(p0 >> 32) ^ b.x[3] ^ k1,
                   (unsigned)p0}};
        k0 += 0x9E3779B9, k1 += 0xBB67AE85;
    }
    return b;
}

// Elements j of a block; floats are multiples of 2^-24 or 2^-53 in [0, 1).
__device__ void number(const Block &b, int j, unsigned &out) { out = b.x[j]; }
__device__ void number(const Block &b, int j, unsigned long long &out) {
    out = (unsigned long long)b.x[2 * j] << 32 | b.x[2 * j + 1];
}
__device__ void number(const Block &b, int j, float &out) { out = (b.x[j] >> 8) * (1 / 16777216.0f); }
__device__ void number(const Block &b, int j, double &out) {
    unsigned long long bits;
    number(b, j, bits);
    out = (bits >> 11) * (1 / 9007199254740992.0);
}

template <class T> struct alignas(16) Pack {
    T x[16 / sizeof(T)];
};

template <class T> __device__ void fill(T *out, size_t count, unsigned long long key) {
    const size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    constexpr size_t each = 16 / sizeof(T);
    const Block b = philox(at, key);
    Pack<T> pack;
    for (int j = 0; j < each; ++j) number(b, j, pack.x[j]);
    if ((at + 1) * each <= count) {
        reinterpret_cast<Pack<T> *>(out)[at] = pack;
    } else {
        for (int j = 0; j < each; ++j)
            if (at * each + j < count) out[at * each + j] = pack.x[j];
    }
}

#define KERNEL(name, T)                                                                                      \
    extern "C" __global__ void name(T *out, size_t count, unsigned long long key) { fill(out, count, key); }
KERNEL(rand_4, unsigned)
KERNEL(rand_8, unsigned long long)
KERNEL(rand_float, float)
KERNEL(rand_double, double)
