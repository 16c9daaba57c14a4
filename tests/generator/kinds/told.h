/* What C leaves open in ways that every GPU API has somewhere: told.toml says it. */
#ifndef TOLD_H
#define TOLD_H

#include <stddef.h>
#include <stdint.h>

typedef enum { TOLD_OK = 0, TOLD_WRONG = 1, TOLD_TOO_SMALL = 7 } told_status;
typedef struct told_st *told_t;
typedef struct {
  float x, y;
} told_complex;
typedef intptr_t told_property;
#define TOLD_FAR (-70000)
/* What a caller leaves out isn't 0. */
typedef struct {
  int least;
  unsigned char mode;
  float scale;
  double exact;
  uint64_t mask;
  told_status kind;
  unsigned width : 12;
} told_options;

/* A call with NULL and 0 answers TOLD_TOO_SMALL, and says how many there are. */
told_status told_numbers(told_t one, unsigned *count, unsigned *numbers);
told_status told_all(told_t one, unsigned *count, unsigned *numbers);
told_status told_whole(told_t one, unsigned *count, unsigned *numbers);
/* The same with the number by value, and where C says how many there are. */
told_status told_ids(unsigned num_entries, int *ids, unsigned *num_ids);
told_status told_pair(unsigned num_entries, int *ids, int *weights, unsigned *num_ids);
/* A text and bytes, with the size that they have. */
told_status told_name(told_t one, size_t size, char *name, size_t *size_ret);
told_status told_info(told_t one, size_t size, void *value, size_t *size_ret);
told_status told_binary(size_t *size, uint8_t *binary);
/* How many bytes were written, of as many as there was room for. */
told_status told_some(size_t size, void *value, size_t *size_ret);
/* Pairs of a key and a value, up to a 0. */
told_status told_sum(const told_property *properties, long *sum);
/* The status comes out beside what is returned. */
told_t told_create(int value, int *errcode_ret);
void told_check(int value, unsigned *twice, int *errcode_ret);
told_status told_destroy(told_t one);
/* A number here, or where the caller has it. */
told_status told_scale(const float *alpha, const told_complex *beta, const int *gamma, double *sum);
/* The fields, one after the other. */
told_status told_apply(const told_options *options, double *least, double *scale, double *exact,
                       uint64_t *mask, int *rest);
/* Pointers to memory of which only the address counts here. */
told_status told_addresses(const float *const *arrays, int batch_count, uintptr_t *sum);
/* The same where the array itself may lie on the device. */
told_status told_pointers(const float *const pointers[], int batch_count, uintptr_t *sum);
told_status told_batches(const void **pointers, float **others, int batch_count, uintptr_t *sum);
told_status told_halves(const uint16_t *halves, int count, unsigned *sum);
/* C returns how much it wrote; 0 if there is no room. */
size_t told_packed(void *dst, size_t capacity, int byte);
unsigned told_squares(unsigned most, int *squares);
size_t told_read(void *dst, size_t capacity, int *errcode_ret);
/* Rows of columns of bytes, or columns of rows: so many are read. */
typedef enum { TOLD_BY_ROWS, TOLD_BY_COLUMNS } told_order;
unsigned told_matrix(told_order order, unsigned rows, unsigned columns, unsigned pitch, const void *bytes);
/* An attribute says which type its value has, and so how many bytes there are. */
typedef enum { TOLD_WIDTH, TOLD_RATIO, TOLD_WHERE } told_attribute;
told_status told_set(told_attribute attribute, const void *value, size_t size, double *sum);
/* What a status means; NULL where there is no text. */
const char *told_text(told_status status);
/* A handle for which nothing is given. */
typedef struct told_box_st *told_box_t;
told_box_t told_box_create(void);
told_status told_box_destroy(told_box_t box);
int told_boxes(void);
#endif
