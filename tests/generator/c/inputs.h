/* Pointers of which C doesn't say what lies there, and those whose count has their name. */
#include <stddef.h>
int text_zeros(const char *data, int size);
int axpy(int n, const float *alpha, const float *x, float *y);
int norm(const float v[3], float *out);
double total(const double *weights, size_t numWeights, int n);
int bytes_sum(const void *data, size_t dataSize);
int first_byte(const void *memory);
int octets_sum(const unsigned char *octets, int octetsLen);
int until_zero(const long *props, int n);
typedef const char *label_t;
typedef label_t title_t;
title_t behind_first(title_t title);
typedef int triple_t[3];
typedef triple_t six_t[2];
int triple_sum(const triple_t v);
int triple_set(triple_t v, int to);
int six_last(six_t v);
