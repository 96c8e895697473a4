/* Fault injection for tests: the N-th call of a kind fails as if memory or the disk were full.
 *
 * The library is preloaded, so that its malloc, write, … come before those of the C library. Nothing
 * fails until faults_arm is called; inject.py says how. Linux only.
 *
 * Which calls count? Of memory, those made by shared objects whose path has a certain piece in it
 * (ours, say), be it directly or through operator new; of files, those of files whose path has it.
 * An empty piece is in every path.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { MEMORY, OPEN, READ, WRITE, SYNC, RENAME, N_KINDS };   /* as KINDS of inject.py */
enum { MAX_RANGES = 256, NOTHING = -1 };

static atomic_int armed = NOTHING;        /* the kind that fails */
static atomic_long n_calls, n_failed;
static long first_bad;                    /* counted from 1 */
static long last_bad;
static int error_number;
static char piece[4096];                  /* substring of the paths that count */
static struct { uintptr_t begin, end; } ranges[MAX_RANGES];
static int n_ranges;
static _Thread_local int refuse_next_malloc;  /* operator new is to fail */
static _Thread_local int in_new;              /* its malloc is counted already */

/* Return the original function of this name. */
#define BEHIND(name) ((__typeof__(&name)) dlsym(RTLD_NEXT, #name))

static int is_bad(enum kind kind) {
    long n;
    if (atomic_load(&armed) != (int) kind)
        return 0;
    n = atomic_fetch_add(&n_calls, 1) + 1;
    if (n < first_bad || n > last_bad)
        return 0;
    atomic_fetch_add(&n_failed, 1);
    if (kind != MEMORY)
        errno = error_number;
    return 1;
}

/* The interface of inject.py. */

static int note_ranges(struct dl_phdr_info *info, size_t size, void *data) {
    (void) size, (void) data;
    if (strstr(info->dlpi_name, piece) == NULL)
        return 0;
    for (int i = 0; i < info->dlpi_phnum && n_ranges < MAX_RANGES; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && part->p_flags & PF_X) {
            ranges[n_ranges].begin = info->dlpi_addr + part->p_vaddr;
            ranges[n_ranges].end = ranges[n_ranges].begin + part->p_memsz;
            n_ranges++;
        }
    }
    return 0;
}

/* Make calls first … last of a kind fail, counted from now on; last = 0: all from the first on. */
void faults_arm(int kind, long first, long last, int error, const char *path_piece) {
    atomic_store(&armed, NOTHING);
    snprintf(piece, sizeof piece, "%s", path_piece);
    n_ranges = 0;
    if (kind == MEMORY && piece[0] != '\0')
        dl_iterate_phdr(note_ranges, NULL);
    first_bad = first;
    last_bad = last > 0 ? last : INT64_MAX;
    error_number = error;
    atomic_store(&n_calls, 0);
    atomic_store(&n_failed, 0);
    atomic_store(&armed, kind);
}

void faults_disarm(void) { atomic_store(&armed, NOTHING); }

long faults_calls(void) { return atomic_load(&n_calls); }

long faults_failed(void) { return atomic_load(&n_failed); }

/* Memory. The C library offers its own functions under these names too, so that none has to be
 * looked up, which would need memory. */

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static int counts(const void *caller) {
    if (piece[0] == '\0')
        return 1;
    for (int i = 0; i < n_ranges; i++)
        if ((uintptr_t) caller >= ranges[i].begin && (uintptr_t) caller < ranges[i].end)
            return 1;
    return 0;
}

static int no_memory(const void *caller) {
    if (atomic_load(&armed) != MEMORY)
        return 0;
    if (refuse_next_malloc || (!in_new && counts(caller) && is_bad(MEMORY))) {
        refuse_next_malloc = 0;
        errno = ENOMEM;
        return 1;
    }
    return 0;
}

#define CALLER __builtin_return_address(0)

void *malloc(size_t size) { return no_memory(CALLER) ? NULL : __libc_malloc(size); }

void *calloc(size_t n, size_t size) { return no_memory(CALLER) ? NULL : __libc_calloc(n, size); }

void *realloc(void *old, size_t size) {
    return no_memory(CALLER) ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return no_memory(CALLER) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **found, size_t alignment, size_t size) {
    if (no_memory(CALLER))
        return ENOMEM;
    *found = __libc_memalign(alignment, size);
    return *found == NULL ? ENOMEM : 0;
}

/* operator new and new[]: it is their caller who counts, and they throw when malloc gives nothing. */
#define OPERATOR_NEW(name)                                                                    \
    void *name(size_t size) {                                                                 \
        static void *(*behind)(size_t);                                                       \
        void *found;                                                                          \
        if (behind == NULL)                                                                   \
            behind = (void *(*)(size_t)) dlsym(RTLD_NEXT, #name);                             \
        if (atomic_load(&armed) == MEMORY && counts(CALLER)) {                                \
            refuse_next_malloc = is_bad(MEMORY);                                              \
            if (refuse_next_malloc)                                                           \
                return behind(size);                                                          \
        }                                                                                     \
        in_new++;                                                                             \
        found = behind(size);                                                                 \
        in_new--;                                                                             \
        return found;                                                                         \
    }
OPERATOR_NEW(_Znwm)
OPERATOR_NEW(_Znam)

/* Files. */

static int path_counts(const char *path) { return strstr(path, piece) != NULL; }

static int descriptor_counts(int fd) {
    char link[64], path[4096];
    ssize_t length;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = '\0';
    return path_counts(path);
}

static int bad_path(enum kind kind, const char *path) {
    return atomic_load(&armed) == (int) kind && path_counts(path) && is_bad(kind);
}

static int bad_descriptor(enum kind kind, int fd) {
    return atomic_load(&armed) == (int) kind && descriptor_counts(fd) && is_bad(kind);
}

static mode_t mode_of(int flags, va_list rest) {
    return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0;
}

#define OPENER(name)                                                                          \
    int name(const char *path, int flags, ...) {                                              \
        va_list rest;                                                                         \
        mode_t mode;                                                                          \
        va_start(rest, flags);                                                                \
        mode = mode_of(flags, rest);                                                          \
        va_end(rest);                                                                         \
        return bad_path(OPEN, path) ? -1 : BEHIND(name)(path, flags, mode);                   \
    }
OPENER(open)
OPENER(open64)

#define OPENER_AT(name)                                                                       \
    int name(int folder, const char *path, int flags, ...) {                                  \
        va_list rest;                                                                         \
        mode_t mode;                                                                          \
        va_start(rest, flags);                                                                \
        mode = mode_of(flags, rest);                                                          \
        va_end(rest);                                                                         \
        return bad_path(OPEN, path) ? -1 : BEHIND(name)(folder, path, flags, mode);           \
    }
OPENER_AT(openat)
OPENER_AT(openat64)

ssize_t read(int fd, void *to, size_t n) {
    return bad_descriptor(READ, fd) ? -1 : BEHIND(read)(fd, to, n);
}

ssize_t write(int fd, const void *from, size_t n) {
    return bad_descriptor(WRITE, fd) ? -1 : BEHIND(write)(fd, from, n);
}

ssize_t pwrite(int fd, const void *from, size_t n, off_t at) {
    return bad_descriptor(WRITE, fd) ? -1 : BEHIND(pwrite)(fd, from, n, at);
}

ssize_t pwrite64(int fd, const void *from, size_t n, off64_t at) {
    return bad_descriptor(WRITE, fd) ? -1 : BEHIND(pwrite64)(fd, from, n, at);
}

ssize_t writev(int fd, const struct iovec *parts, int n) {
    return bad_descriptor(WRITE, fd) ? -1 : BEHIND(writev)(fd, parts, n);
}

int fsync(int fd) { return bad_descriptor(SYNC, fd) ? -1 : BEHIND(fsync)(fd); }

int fdatasync(int fd) { return bad_descriptor(SYNC, fd) ? -1 : BEHIND(fdatasync)(fd); }

int rename(const char *from, const char *to) {
    return bad_path(RENAME, to) ? -1 : BEHIND(rename)(from, to);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    return bad_path(RENAME, to) ? -1 : BEHIND(renameat)(from_folder, from, to_folder, to);
}
