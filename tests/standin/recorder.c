/* What every function of a stand-in library does: record its arguments, write patterns, return a status.
 *
 * A test says through the standin_* functions what it wants of the calls to come; see library.py. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PARAMETERS 16
#define CALLS 8
#define ROOM 65536
#define EXPORT __attribute__((visibility("default")))

enum passing { VALUE, IN_POINTER, OUT_POINTER, OUT_TEXT };

struct parameter {
    const char *name;
    unsigned size;    /* of the argument itself */
    unsigned pointee; /* of what it points to; 0 where C doesn't say */
    int passing;
};

struct function {
    const char *symbol;
    int count;
    unsigned result; /* bytes of what it returns */
    int returns;     /* 0 nothing, 1 the status, 2 text, 3 another value */
    const struct parameter *parameters;
};

/* What a test asked for about one parameter; -1 where it didn't. */
struct wish {
    long peek, inner, inner_size; /* bytes to record behind a pointer; then behind each pointer there */
    long put;                     /* bytes to write instead of the pattern */
    int lend;                     /* whether to write a pointer to those bytes instead */
    int pieces;                   /* into how many, behind as many pointers there, those bytes are cut */
    unsigned char bytes[ROOM];
};

struct seen {
    unsigned char raw[256];
    unsigned char *behind;
    long peeked;
};

struct call {
    const struct function *function;
    struct seen seen[PARAMETERS];
};

extern const int standin_version;
extern const char *const standin_version_function;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct wish wishes[PARAMETERS];
static struct call calls[CALLS];
static int made, armed, blocking, waiting, quiet, overdue;
static long patience; /* milliseconds that a blocked call waits at most */
static long long status;
static char texts[PARAMETERS + 1][32];

/* A byte of a parameter's own: positive numbers and finite floats, whatever their size. */
static unsigned char pattern(int parameter, long at) { return 0x21 + (parameter * 13 + at * 5) % 0x4f; }

EXPORT int standin_pattern(int parameter, long at) { return pattern(parameter, at); }

EXPORT void standin_reset(void) {
    pthread_mutex_lock(&lock);
    for (int at = 0; at < PARAMETERS; ++at) {
        wishes[at].peek = wishes[at].inner = wishes[at].put = -1;
        wishes[at].lend = wishes[at].pieces = 0;
        snprintf(texts[at], sizeof texts[at], "text of parameter %d", at);
    }
    snprintf(texts[PARAMETERS], sizeof texts[0], "text of the result");
    for (int at = 0; at < CALLS; ++at)
        for (int p = 0; p < PARAMETERS; ++p) {
            free(calls[at].seen[p].behind);
            calls[at].seen[p].behind = NULL;
            calls[at].seen[p].peeked = -1;
        }
    made = blocking = quiet = 0;
    status = 0;
    armed = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

EXPORT void standin_set_status(long long code) { status = code; }
/* Write through no pointer and read behind none: for arguments that may point anywhere. */
EXPORT void standin_quiet(int on) { quiet = on; }
/* size: bytes to record behind a pointer, -2 for a text up to its NUL. */
EXPORT void standin_peek(int parameter, long size) { wishes[parameter].peek = size; }
/* Besides, `size` bytes behind each of the `count` pointers that it points to. */
EXPORT void standin_peek_inner(int parameter, long count, long size) {
    wishes[parameter].inner = count;
    wishes[parameter].inner_size = size;
}
EXPORT int standin_put(int parameter, const void *bytes, long size) {
    if (size > ROOM) return 0;
    memcpy(wishes[parameter].bytes, bytes, (size_t)size);
    wishes[parameter].put = size;
    return 1;
}
EXPORT int standin_lend(int parameter, const void *bytes, long size) {
    wishes[parameter].lend = standin_put(parameter, bytes, size);
    return wishes[parameter].lend;
}

EXPORT int standin_put_behind(int parameter, const void *bytes, long size, int pieces) {
    wishes[parameter].pieces = pieces;
    return standin_put(parameter, bytes, size);
}

EXPORT int standin_calls(void) { return made; }
EXPORT const char *standin_function(int call) { return calls[call].function->symbol; }
EXPORT int standin_count(int call) { return calls[call].function->count; }
EXPORT const void *standin_argument(int call, int parameter) { return calls[call].seen[parameter].raw; }
EXPORT int standin_size(int call, int parameter) { return (int)calls[call].function->parameters[parameter].size; }
EXPORT const void *standin_behind(int call, int parameter, long *size) {
    *size = calls[call].seen[parameter].peeked;
    return calls[call].seen[parameter].behind;
}

/* Calls to come wait until block(0), at most for `most` milliseconds; overdue() counts those that did. */
EXPORT void standin_block(int on, long most) {
    pthread_mutex_lock(&lock);
    blocking = on;
    patience = most;
    if (on) overdue = 0;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}
EXPORT int standin_waiting(void) {
    pthread_mutex_lock(&lock);
    int now = waiting;
    pthread_mutex_unlock(&lock);
    return now;
}

EXPORT int standin_overdue(void) { return overdue; }

static void wait_until_let_go(void) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    long long nanoseconds = until.tv_nsec + patience * 1000000LL;
    until.tv_sec += nanoseconds / 1000000000;
    until.tv_nsec = nanoseconds % 1000000000;
    while (blocking)
        if (pthread_cond_timedwait(&changed, &lock, &until)) {
            ++overdue;
            return;
        }
}

static void record(struct seen *seen, const struct parameter *parameter, const struct wish *wish, void *argument) {
    memcpy(seen->raw, argument, parameter->size);
    if (parameter->passing == VALUE || quiet) return;
    const unsigned char *pointer;
    memcpy(&pointer, argument, sizeof pointer);
    if (!pointer || wish->peek == -1) return;
    long size = wish->peek == -2 ? (long)strlen((const char *)pointer) + 1 : wish->peek;
    long more = wish->inner > 0 ? wish->inner * wish->inner_size : 0;
    seen->behind = malloc((size_t)(size + more) + 1);
    memcpy(seen->behind, pointer, (size_t)size);
    for (long at = 0; at < wish->inner; ++at) {
        const unsigned char *inner = ((const unsigned char *const *)pointer)[at];
        memcpy(seen->behind + size + at * wish->inner_size, inner, (size_t)wish->inner_size);
    }
    seen->peeked = size + more;
}

static void answer(int at, const struct parameter *parameter, struct wish *wish, void *argument) {
    if (parameter->passing < OUT_POINTER || quiet) return;
    unsigned char *pointer;
    memcpy(&pointer, argument, sizeof pointer);
    if (!pointer) return;
    if (wish->lend) {
        void *lent = wish->bytes;
        memcpy(pointer, &lent, sizeof lent);
    } else if (wish->pieces) {
        long size = wish->put / wish->pieces;
        for (int piece = 0; piece < wish->pieces; ++piece)
            memcpy(((void **)pointer)[piece], wish->bytes + piece * size, (size_t)size);
    } else if (wish->put >= 0) {
        memcpy(pointer, wish->bytes, (size_t)wish->put);
    } else if (parameter->passing == OUT_TEXT) {
        const char *text = texts[at];
        memcpy(pointer, &text, sizeof text);
    } else {
        for (unsigned byte = 0; byte < parameter->pointee; ++byte) pointer[byte] = pattern(at, byte);
    }
}

/* The body of every function. `arguments` point to the parameters, `result` takes what it returns. */
__attribute__((visibility("hidden"))) void standin_call(const struct function *function, void **arguments, void *result) {
    pthread_mutex_lock(&lock);
    if (!armed) { /* a library that is being loaded is asked for its release */
        long long ok = 0;
        if (!strcmp(function->symbol, standin_version_function))
            memcpy(*(void **)arguments[0], &standin_version, sizeof standin_version);
        if (result) memcpy(result, &ok, function->result < sizeof ok ? function->result : sizeof ok);
        pthread_mutex_unlock(&lock);
        return;
    }
    struct call *call = &calls[made < CALLS ? made : CALLS - 1];
    made += made < CALLS;
    call->function = function;
    for (int at = 0; at < function->count; ++at)
        record(&call->seen[at], &function->parameters[at], &wishes[at], arguments[at]);
    ++waiting;
    pthread_cond_broadcast(&changed);
    if (blocking) wait_until_let_go();
    --waiting;
    for (int at = 0; at < function->count; ++at)
        answer(at, &function->parameters[at], &wishes[at], arguments[at]);
    if (function->returns == 1) {
        memcpy(result, &status, function->result);
    } else if (function->returns == 2) {
        const char *text = texts[PARAMETERS];
        memcpy(result, &text, sizeof text);
    } else if (function->returns == 3) {
        for (unsigned byte = 0; byte < function->result; ++byte)
            ((unsigned char *)result)[byte] = pattern(PARAMETERS, byte);
    }
    pthread_mutex_unlock(&lock);
}
