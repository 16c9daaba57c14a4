// Kernels of a generator of curandom: its states, one a thread, and numbers from them.
//
// State is the vendor's type, RANDOM(_name) the vendor's function. One of PSEUDO, SOBOL and SCRAMBLED is 1.
// WIDE: the generator gives 64 bits.
#define AT (blockIdx.x * blockDim.x + threadIdx.x)

#if WIDE
typedef unsigned long long Bits;
#else
typedef unsigned int Bits;
#endif

// How a kernel has its state: the small ones in registers, direction vectors where they lie.
#if PSEUDO
#define TAKE State state = states[AT]
#define GIVE_BACK states[AT] = state
#else
#define TAKE State &state = states[AT]
#define GIVE_BACK
#endif

#if WIDE
#define UPPER_BITS (RANDOM()(&state) >> 32)
#define ALL_BITS RANDOM()(&state)
#else
#define UPPER_BITS RANDOM()(&state)
#define ALL_BITS ((unsigned long long)RANDOM()(&state) << 32 | RANDOM()(&state))
#endif

// Each thread sets every so many elements; `a` and `b` are parameters of the distribution.
#define FILL(name, type, value)                                                                              \
    extern "C" __global__ void name(State *states, type *out, size_t count, double a, double b) {            \
        TAKE;                                                                                                \
        for (size_t i = AT; i < count; i += (size_t)gridDim.x * blockDim.x) out[i] = value;                  \
        GIVE_BACK;                                                                                           \
    }
// The same where the vendor's function makes two numbers from two.
#define FILL_PAIRS(name, type, pair, values)                                                                 \
    extern "C" __global__ void name(State *states, type *out, size_t count, double a, double b) {            \
        TAKE;                                                                                                \
        const bool is_aligned = (size_t)out % sizeof(pair) == 0;                                             \
        for (size_t i = AT; i < count / 2; i += (size_t)gridDim.x * blockDim.x) {                            \
            const pair two = values;                                                                         \
            if (is_aligned)                                                                                  \
                ((pair *)out)[i] = two;                                                                      \
            else                                                                                             \
                out[2 * i] = two.x, out[2 * i + 1] = two.y;                                                  \
        }                                                                                                    \
        if (count % 2 && AT == 0) out[count - 1] = (values).x;                                               \
        GIVE_BACK;                                                                                           \
    }

FILL(uniform_4, unsigned, UPPER_BITS)
FILL(uniform_8, unsigned long long, ALL_BITS)
FILL(uniform_float, float, RANDOM(_uniform)(&state))
FILL(uniform_double, double, RANDOM(_uniform_double)(&state))
#if PSEUDO
FILL_PAIRS(normal_float, float, float2, RANDOM(_normal2)(&state))
FILL_PAIRS(normal_double, double, double2, RANDOM(_normal2_double)(&state))
FILL_PAIRS(log_normal_float, float, float2, RANDOM(_log_normal2)(&state, a, b))
FILL_PAIRS(log_normal_double, double, double2, RANDOM(_log_normal2_double)(&state, a, b))
#else
FILL(normal_float, float, RANDOM(_normal)(&state))
FILL(normal_double, double, RANDOM(_normal_double)(&state))
FILL(log_normal_float, float, RANDOM(_log_normal)(&state, a, b))
FILL(log_normal_double, double, RANDOM(_log_normal_double)(&state, a, b))
#endif
FILL(poisson_4, unsigned, RANDOM(_poisson)(&state, a))
FILL(poisson_float, float, RANDOM(_poisson)(&state, a))
FILL(poisson_double, double, RANDOM(_poisson)(&state, a))
FILL(poisson_of_4, unsigned, RANDOM(_poisson)(&state, out[i]))
FILL(poisson_of_float, float, RANDOM(_poisson)(&state, out[i]))
FILL(poisson_of_double, double, RANDOM(_poisson)(&state, out[i]))

// New states. Sequences of one seed don't overlap; dimensions have direction vectors of their own.
#if PSEUDO
extern "C" __global__ void prepare(State *states, unsigned long long offset, const unsigned *seeds) {
    RANDOM(_init)(seeds[AT], AT, offset, &states[AT]);
}
#elif SOBOL
extern "C" __global__ void prepare(State *states, unsigned long long offset, const Bits *vectors) {
    RANDOM(_init)(const_cast<Bits *>(vectors) + 8 * sizeof(Bits) * AT, offset, &states[AT]);
}
#else
extern "C" __global__ void prepare(State *states, unsigned long long offset, const Bits *vectors,
                                   const Bits *constants) {
    RANDOM(_init)(const_cast<Bits *>(vectors) + 8 * sizeof(Bits) * AT, constants[AT], offset, &states[AT]);
}
#endif

// Moves of all states: by one number, or each by its own.
#define SKIP(name, type, function)                                                                           \
    extern "C" __global__ void name(State *states, type count) { function(count, &states[AT]); }             \
    extern "C" __global__ void name##_array(State *states, const type *counts) {                             \
        function(counts[AT], &states[AT]);                                                                   \
    }
#if PSEUDO
SKIP(skip_ahead, unsigned long long, skipahead)
SKIP(skip_ahead_sequence, unsigned long long, skipahead_sequence)
#else
SKIP(skip_ahead, Bits, skipahead)
#endif
#if SUBSEQUENCES
SKIP(skip_ahead_subsequence, unsigned long long, skipahead_subsequence)
#endif

extern "C" __global__ void size_of_state(unsigned long long *size) { *size = sizeof(State); }
