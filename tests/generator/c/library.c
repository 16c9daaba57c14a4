/* The library behind the headers of this folder. */
#include "every.h"

struct box_s { int size; };
struct job { int n; };
struct plain { int number; };

int box_open(const char *name, box **out) {
    *out = malloc(sizeof **out);
    (*out)->size = (int)strlen(name);
    return 0;
}
int box_size(const box *it, int *size) { *size = it->size; return 0; }
void box_close(box *it) { free(it); }
int same_task(task one, task same) { return one == same; }
int same_job(struct job *one, struct job *same) { return one == same; }
struct plain *plain_new(int number) {
    if (number < 0) return NULL;
    struct plain *it = malloc(sizeof *it);
    it->number = number;
    return it;
}
int plain_number(const struct plain *it) { return it->number; }
void plain_free(struct plain *it) { free(it); }

title_t behind_first(title_t title) { return *title ? title + 1 : NULL; }
int text_zeros(const char *data, int size) {
    int zeros = 0;
    for (int at = 0; at < size; ++at) zeros += !data[at];
    return zeros;
}
int axpy(int n, const float *alpha, const float *x, float *y) {
    for (int at = 0; at < n; ++at) y[at] += *alpha * x[at];
    return 0;
}
int norm(const float v[3], float *out) { *out = v[0] + v[1] + v[2]; return 0; }
double total(const double *weights, size_t numWeights, int n) {
    double sum = 0;
    for (size_t at = 0; at < numWeights; ++at) sum += weights[at];
    return sum * n;
}
int octets_sum(const unsigned char *octets, int octetsLen) { return octetsLen ? octets[0] + octetsLen : 0; }
int first_byte(const void *memory) { return *(const unsigned char *)memory; }
int bytes_sum(const void *data, size_t dataSize) {
    int sum = 0;
    for (size_t at = 0; at < dataSize; ++at) sum += ((const unsigned char *)data)[at];
    return sum;
}
int until_zero(const long *props, int n) {
    int sum = n;
    while (props && *props) sum += (int)*props++;
    return sum;
}

long long seconds(time_t t, const struct timespec *at) { return t + at->tv_sec; }
struct timeval half(struct timeval whole) {
    struct timeval made = {whole.tv_sec / 2, whole.tv_usec / 2};
    return made;
}
int is_open(FILE *file) { return file != NULL; }
ssize_t length(wchar_t one, off_t at) { return one - at; }
int guarded_value(const struct guarded *it) { return it->value + (int)it->at.tv_nsec; }

int vectors_after(const struct vectors *it) { return it->after + (int)it->v[3]; }
int oddities_n(struct oddities *it) { return it->map || it->symbol ? -1 : it->n; }
int nameless_kind(struct nameless it) { return it.kind; }
int bits_sum(struct bits it) { return (int)it.a + 10 * (int)it.b + 1000 * it.c; }
int tail_n(struct tail *it) { return it->n; }
int tight_sum(struct tight it) { return it.a + it.b + it.c; }
int aligned_b(struct aligned it) { return it.b; }
int constant_b(struct constant it) { return it.b; }
int grid_last(const struct grid *it) { return it->m[1][2]; }
int char4_sum(char4 it) { return it.x + 10 * it.y + 100 * it.w; }
int empty_none(struct empty *it) { return !it; }

double _Complex twice(double _Complex z) { return 2 * z; }
float _Complex twicef(float _Complex z) { return 2 * z; }
long double third(long double x) { return x / 3; }
_Bool negated(_Bool v) { return !v; }
char next(char c) { return (char)(c + 1); }
int is_all(enum numerals_mask mask) { return mask == MASK_ALL; }
intptr_t minus(intptr_t p) { return -p; }
numerals_status status_get(int *value, numerals_status last) { *value = last + 1; return 6; }
int many(double *restrict x, signed char a, unsigned char b, short c, unsigned short d, unsigned e,
         long f, unsigned long g, long long h, unsigned long long i, float j, int k, double l) {
    *x = l;
    return (int)(a + b + c + d + e + f + g + h + i + j + k);
}

int from(struct from *from, int lambda, int lambda_, int None, int self) {
    return from->in + from->class + 10 * lambda + 100 * lambda_ + 1000 * None + 10000 * self;
}
int template(int class, int new, int this, int errno_, int status, int api) {
    return class + 2 * new + 3 * this + 4 * errno_ + 5 * status + 6 * api;
}
int address(int checked) { return checked; }
int checked(int address) { return address; }
int list_add(struct Text *Text, struct Text *other) { return Text->a + other->a; }
int import(void) { return 7; }
int of_passes(const struct passes *from) { return !!from->one + 2 * !!from->two[1]; }
int outputs(int *namespace, int *new, int namespace_) { return *namespace = *new = namespace_; }

int left_none(void) { return 0; }

int visit_twice(int at, void *data) { return data ? 0 : 2 * at; }
int visit_all(int count, visit *each, void *data) {
    int sum = 0;
    for (int at = 0; at < count; ++at) sum += each(at, data);
    return sum;
}
int judge_all(int count, judge each, void *data) {
    int at = 0;
    while (at < count && each(at, data) == GO_ON) ++at;
    return at;
}
static verdict always(int at, void *data) { return at || data ? STOP : GO_ON; }
int callback_out(judge *out) { *out = always; return 0; }
int callback_table(any_table table) { return table != 0; }
judge callback_given(void) { return always; }
static void nothing(int a, char b) { (void)a, (void)b; }
void (*callback_of(int which))(int, char) { return which ? nothing : NULL; }

void macros_d(double *x, int n) { for (int at = 0; at < n; ++at) x[at] *= 2; }
void macros_f(float *x, int n) { for (int at = 0; at < n; ++at) x[at] *= 2; }
double macros_d_sum(const double *x, int n) { double sum = 0; while (n--) sum += x[n]; return sum; }
float macros_f_sum(const float *x, int n) { float sum = 0; while (n--) sum += x[n]; return sum; }
#undef macros_dot
#undef macros_dot_64
int macros_dot(long n) { return (int)-n; }
int macros_dot_v2(int n) { return n; }
int macros_dot_v2_64(long n) { return (int)(n >> 32); }

int triple_sum(const triple_t v) { return v[0] + v[1] + v[2]; }
int triple_set(triple_t v, int to) { return v[0] = v[1] = v[2] = to; }
int six_last(six_t v) { return v[1][2]; }
