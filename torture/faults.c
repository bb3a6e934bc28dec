/* Preloaded into a process: the n-th call of a kind fails, or kills the process there and then. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { NOTHING, FILES, MEMORY };

static atomic_int armed = NOTHING;
static atomic_long left = 0, count = 0;
static int failure = 0;          /* an errno; 0 kills the process */
static size_t smallest = 0;      /* bytes of an allocation that may fail */

/* Count calls of a kind from now on; the n-th (from 0) fails with a number, or kills the process if that is 0. */
void fault_arm(int kind, long n, int number, size_t bytes) {
  atomic_store(&count, 0);
  atomic_store(&left, n);
  failure = number;
  smallest = bytes;
  atomic_store(&armed, kind);
}

/* Count no more; number of calls that were counted. */
long fault_disarm(void) {
  atomic_store(&armed, NOTHING);
  return atomic_load(&count);
}

static int is_due(int kind) {
  if (atomic_load(&armed) != kind) return 0;
  atomic_fetch_add(&count, 1);
  return atomic_fetch_sub(&left, 1) == 0;
}

static int fails(void) {
  if (!failure) raise(SIGKILL);
  errno = failure;
  return 1;
}

static int is_file(int handle) {
  struct stat found;
  return !fstat(handle, &found) && S_ISREG(found.st_mode);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int handle, const void *bytes, size_t length) {
  if (atomic_load(&armed) == FILES && is_file(handle) && is_due(FILES)) {
    if (length > 1) { /* a disk is seldom full between two calls: half is written, and then the next call fails */
      ssize_t written = REAL(write)(handle, bytes, length / 2);
      if (failure) {
        atomic_store(&left, 0);
        return written;
      }
    }
    fails();
    return -1;
  }
  return REAL(write)(handle, bytes, length);
}

int fsync(int handle) {
  if (is_due(FILES) && fails()) return -1;
  return REAL(fsync)(handle);
}

int rename(const char *from, const char *to) {
  if (is_due(FILES) && fails()) return -1;
  return REAL(rename)(from, to);
}

int ftruncate64(int handle, off64_t length) {
  if (is_due(FILES) && fails()) return -1;
  return REAL(ftruncate64)(handle, length);
}

int unlink(const char *path) {
  if (failure == 0 && is_due(FILES) && fails()) return -1; /* who removes files may fail to, but be killed */
  return REAL(unlink)(path);
}

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static int is_refused(size_t bytes) { return bytes >= smallest && is_due(MEMORY) && fails(); }

void *malloc(size_t bytes) { return is_refused(bytes) ? NULL : __libc_malloc(bytes); }
void *calloc(size_t n, size_t bytes) { return is_refused(n * bytes) ? NULL : __libc_calloc(n, bytes); }
void *realloc(void *old, size_t bytes) { return is_refused(bytes) ? NULL : __libc_realloc(old, bytes); }
void *aligned_alloc(size_t alignment, size_t bytes) { return is_refused(bytes) ? NULL : __libc_memalign(alignment, bytes); }
int posix_memalign(void **out, size_t alignment, size_t bytes) {
  if (is_refused(bytes)) return ENOMEM;
  *out = __libc_memalign(alignment, bytes);
  return *out ? 0 : ENOMEM;
}
