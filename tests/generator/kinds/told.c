/* The library behind told.h. */
#include "told.h"

#include <stdlib.h>
#include <string.h>

struct told_st {
  int value;
};

told_status told_numbers(told_t one, unsigned *count, unsigned *numbers) {
  const unsigned there = (unsigned)one->value;
  const unsigned room = *count;
  if (one->value < 0) return TOLD_WRONG;
  *count = there;
  if (room < there) return TOLD_TOO_SMALL;
  for (unsigned at = 0; at < there; ++at) numbers[at] = at * at;
  return TOLD_OK;
}

/* Writes all, whatever the caller's count is. */
told_status told_all(told_t one, unsigned *count, unsigned *numbers) {
  *count = (unsigned)one->value;
  for (unsigned at = 0; numbers && at < *count; ++at) numbers[at] = at * at;
  return TOLD_OK;
}

/* The same, and it takes no NULL: it can't be asked how many there are. */
told_status told_whole(told_t one, unsigned *count, unsigned *numbers) {
  return numbers ? told_all(one, count, numbers) : TOLD_WRONG;
}

told_status told_pair(unsigned num_entries, int *ids, int *weights, unsigned *num_ids) {
  if (num_ids) *num_ids = 3;
  if (!ids != !num_entries) return TOLD_WRONG;
  for (unsigned at = 0; at < num_entries && at < 3; ++at) {
    ids[at] = 10 + (int)at;
    if (weights) weights[at] = -(int)at;
  }
  return TOLD_OK;
}

told_status told_ids(unsigned num_entries, int *ids, unsigned *num_ids) {
  return told_pair(num_entries, ids, NULL, num_ids);
}

static told_status give(const void *from, size_t there, size_t room, void *to, size_t *told) {
  if (told) *told = there;
  if (!to) return TOLD_OK;
  if (room < there) return TOLD_WRONG;
  memcpy(to, from, there);
  return TOLD_OK;
}

told_status told_name(told_t one, size_t size, char *name, size_t *size_ret) {
  return one->value < 0 ? TOLD_WRONG : give("a name", 7, size, name, size_ret);
}

told_status told_info(told_t one, size_t size, void *value, size_t *size_ret) {
  return give(&one->value, sizeof one->value, size, value, size_ret);
}

told_status told_binary(size_t *size, uint8_t *binary) { return give("\1\0\2", 3, *size, binary, size); }

told_status told_some(size_t size, void *value, size_t *size_ret) {
  *size_ret = size < 2 ? size : 2;
  memcpy(value, "ab", *size_ret);
  return TOLD_OK;
}

told_status told_sum(const told_property *properties, long *sum) {
  *sum = -1;
  if (!properties) return TOLD_OK;
  for (*sum = 0; *properties; properties += 2) *sum += (long)(properties[0] * properties[1]);
  return TOLD_OK;
}

told_t told_create(int value, int *errcode_ret) {
  if (value == 13) {
    *errcode_ret = TOLD_WRONG;
    return NULL;
  }
  told_t one = malloc(sizeof *one);
  one->value = value;
  *errcode_ret = TOLD_OK;
  return one;
}

void told_check(int value, unsigned *twice, int *errcode_ret) {
  *errcode_ret = value < 0 ? TOLD_WRONG : TOLD_OK;
  *twice = 2u * (unsigned)value;
}

told_status told_destroy(told_t one) {
  free(one);
  return TOLD_OK;
}

told_status told_scale(const float *alpha, const told_complex *beta, const int *gamma, double *sum) {
  *sum = (alpha ? *alpha : 0) + (beta ? beta->x * 10 + beta->y * 100 : 0) + (gamma ? *gamma * 1000 : 0);
  return TOLD_OK;
}

told_status told_addresses(const float *const *arrays, int batch_count, uintptr_t *sum) {
  *sum = 0;
  for (int at = 0; at < batch_count; ++at) *sum += (uintptr_t)arrays[at];
  return TOLD_OK;
}

told_status told_batches(const void **pointers, float **others, int batch_count, uintptr_t *sum) {
  *sum = 0;
  for (int at = 0; at < batch_count; ++at) *sum += (uintptr_t)pointers[at] + (uintptr_t)others[at];
  return TOLD_OK;
}
told_status told_halves(const uint16_t *halves, int count, unsigned *sum) {
  for (*sum = 0; count-- > 0;) *sum += halves[count];
  return TOLD_OK;
}
told_status told_pointers(const float *const pointers[], int batch_count, uintptr_t *sum) {
  return told_addresses(pointers, batch_count, sum);
}

told_status told_apply(const told_options *options, double *least, double *scale, double *exact,
                       uint64_t *mask, int *rest) {
  *least = options->least;
  *scale = options->scale;
  *exact = options->exact;
  *mask = options->mask;
  *rest = options->mode * 100000 + (int)options->kind * 10000 + (int)options->width;
  return TOLD_OK;
}

size_t told_packed(void *dst, size_t capacity, int byte) {
  if (capacity < 3) return 0;
  for (int at = 0; at < 3; ++at) ((char *)dst)[at] = (char)byte;
  return 3;
}

size_t told_read(void *dst, size_t capacity, int *errcode_ret) {
  *errcode_ret = capacity ? TOLD_OK : TOLD_WRONG;
  return told_packed(dst, capacity, 'b');
}

unsigned told_squares(unsigned most, int *squares) {
  unsigned count = most < 4 ? most : 4;
  for (unsigned at = 0; at < count; ++at) squares[at] = (int)(at * at);
  return count;
}

unsigned told_matrix(told_order order, unsigned rows, unsigned columns, unsigned pitch, const void *bytes) {
  const unsigned last = order ? columns : rows, width = order ? rows : columns;
  return ((const unsigned char *)bytes)[(last - 1) * pitch + width - 1];
}

told_status told_set(told_attribute attribute, const void *value, size_t size, double *sum) {
  if (attribute == TOLD_WIDTH && size == 2) return *sum = *(const uint16_t *)value, TOLD_OK;
  if (attribute == TOLD_RATIO && size == 4) return *sum = *(const float *)value, TOLD_OK;
  if (attribute == TOLD_WHERE && size == 8) return *sum = (double)*(const uintptr_t *)value, TOLD_OK;
  return TOLD_WRONG;
}

const char *told_text(told_status status) { return status == TOLD_WRONG ? "this is wrong" : NULL; }

struct told_box_st { int held; };
static struct told_box_st the_box;
told_box_t told_box_create(void) { return ++the_box.held, &the_box; }
told_status told_box_destroy(told_box_t box) { return --box->held, TOLD_OK; }
int told_boxes(void) { return the_box.held; }
