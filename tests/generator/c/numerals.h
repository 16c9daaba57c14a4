/* Numbers of every kind, by value and as constants. */
#include <stdint.h>
#define NUMERALS_ALL 0xFFFFFFFFFFFFFFFFULL
#define NUMERALS_LEAST (-0x7FFFFFFFFFFFFFFFLL - 1)
enum numerals_mask { MASK_NONE, MASK_ALL = 0xFFFFFFFFFFFFFFFFULL };
enum { numerals_none, METH_NOARGS = 5 }; /* a macro of Python.h, with another value */
typedef int numerals_status;

double _Complex twice(double _Complex z);
float _Complex twicef(float _Complex z);
long double third(long double x);
_Bool negated(_Bool v);
char next(char c);
int is_all(enum numerals_mask mask);
intptr_t minus(intptr_t p);
numerals_status status_get(int *value, numerals_status last);
int many(double *restrict x, signed char a, unsigned char b, short c, unsigned short d, unsigned e,
         long f, unsigned long g, long long h, unsigned long long i, float j, int k, double l);
