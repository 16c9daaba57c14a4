/* Structs with members that few languages have. */
typedef float float4 __attribute__((vector_size(16)));
typedef union {
    signed char __attribute__((aligned(4))) s[4];
    struct { signed char x, y, z, w; };
} char4;
struct vectors { int before; float4 v; __int128 wide; int after; };
struct oddities { int (*map)(int, void volatile **); void (*(*symbol)(const char *name))(void); int n; };
struct bits { unsigned a : 3; unsigned b : 5; int c; };
struct tail { int n; char data[]; };
struct __attribute__((packed)) tight { char a; int b; short c; };
struct aligned { int a; __attribute__((aligned(16))) int b; };
struct constant { const int a; int *const p; int b; };
struct grid { int m[2][3]; long double wide; double _Complex z; };
struct empty {};
struct nameless { char a; enum { FIELD_ONE = 1, FIELD_TWO } kind; };

int vectors_after(const struct vectors *it);
int oddities_n(struct oddities *it);
int bits_sum(struct bits it);
int tail_n(struct tail *it);
int tight_sum(struct tight it);
int aligned_b(struct aligned it);
int constant_b(struct constant it);
int grid_last(const struct grid *it);
int char4_sum(char4 it);
int empty_none(struct empty *it);
int nameless_kind(struct nameless it);
