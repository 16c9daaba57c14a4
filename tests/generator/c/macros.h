/* Prototypes made by macros, and functions that macros rename. */
#define NAME(a) macros_##a
#define API(T, N) void NAME(N)(T *x, int n); T NAME(N##_sum)(const T *x, int n);
API(double, d)
API(float, f)
int macros_dot(long n); /* out of reach below the macro */
#define macros_dot macros_dot_v2
#define macros_dot_64 macros_dot_v2_64
int macros_dot_v2(int n);
int macros_dot_v2_64(long n);
