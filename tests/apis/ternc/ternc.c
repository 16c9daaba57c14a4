/* TernC's library: the code is the options, and a source that says `refuse` is refused. */
#include "ternc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct terncJob {
    char source[1024], name[256], says[1024], code[4096], symbol[256];
};

terncResult terncEdition(int *major, int *minor) { return *major = 3, *minor = 1, TERNC_OK; }
terncResult terncJobOpen(terncJob_t *job, const char *source, const char *name, int count,
                         const char *const *texts, const char *const *names) {
    (void)count, (void)texts, (void)names;
    *job = calloc(1, sizeof **job);
    snprintf((*job)->source, sizeof (*job)->source, "%s", source);
    snprintf((*job)->name, sizeof (*job)->name, "%s", name);
    return TERNC_OK;
}
terncResult terncJobClose(terncJob_t *job) { return free(*job), *job = NULL, TERNC_OK; }
terncResult terncJobWant(terncJob_t job, const char *expression) {
    snprintf(job->symbol, sizeof job->symbol, "tern$%s", expression);
    return TERNC_OK;
}
terncResult terncJobRun(terncJob_t job, int count, const char *const *options) {
    if (strstr(job->source, "refuse")) {
        snprintf(job->says, sizeof job->says, "ternlink error: refused %s\n", job->name);
        return TERNC_REFUSED;
    }
    for (int one = 0; one < count; ++one) {
        strncat(job->code, options[one], sizeof job->code - strlen(job->code) - 2);
        strcat(job->code, "\n");
    }
    return TERNC_OK;
}
terncResult terncJobSaysSize(terncJob_t job, size_t *size) { return *size = strlen(job->says) + 1, TERNC_OK; }
terncResult terncJobSays(terncJob_t job, char *text) { return strcpy(text, job->says), TERNC_OK; }
terncResult terncJobCodeSize(terncJob_t job, size_t *size) { return *size = strlen(job->code), TERNC_OK; }
terncResult terncJobCode(terncJob_t job, char *code) {
    return memcpy(code, job->code, strlen(job->code)), TERNC_OK;
}
terncResult terncJobSymbol(terncJob_t job, const char *expression, const char **symbol) {
    return (void)expression, *symbol = job->symbol, TERNC_OK;
}
