/* The headers of C11 and POSIX, and what a library takes of them. */
#include <assert.h>
#include <complex.h>
#include <ctype.h>
#include <errno.h>
#include <fenv.h>
#include <float.h>
#include <inttypes.h>
#include <iso646.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

struct guarded { pthread_mutex_t lock; int value; struct timespec at; };

long long seconds(time_t t, const struct timespec *at);
struct timeval half(struct timeval whole);
int is_open(FILE *file);
ssize_t length(wchar_t one, off_t at);
int guarded_value(const struct guarded *it);
