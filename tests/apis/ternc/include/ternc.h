/* The compiler of an invented vendor: no name, option or kind of code is another vendor's. */
#ifndef TERNC_H
#define TERNC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum terncResult {
    TERNC_OK = 0,
    TERNC_REFUSED = 3,
    TERNC_NO_FUNCTION = 51,
    TERNC_NO_LIBRARY = 52
} terncResult;

typedef struct terncJob *terncJob_t;

terncResult terncEdition(int *major, int *minor);
terncResult terncJobOpen(terncJob_t *job, const char *source, const char *name, int count,
                         const char *const *texts, const char *const *names);
terncResult terncJobClose(terncJob_t *job);
terncResult terncJobWant(terncJob_t job, const char *expression);
terncResult terncJobRun(terncJob_t job, int count, const char *const *options);
terncResult terncJobSaysSize(terncJob_t job, size_t *size);
terncResult terncJobSays(terncJob_t job, char *text);
terncResult terncJobCodeSize(terncJob_t job, size_t *size);
terncResult terncJobCode(terncJob_t job, char *code);
terncResult terncJobSymbol(terncJob_t job, const char *expression, const char **symbol);

#ifdef __cplusplus
}
#endif

#endif
