#define _GNU_SOURCE
#include "impl/subject/file_calls_for_test.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static char watched[PATH_MAX];
static size_t watched_length;
static long fatal;
static atomic_long calls;

void watch_file_calls(const char *folder, long fatal_call) {
  watched_length = (size_t)snprintf(watched, sizeof watched, "%s", folder);
  fatal = fatal_call;
  atomic_store(&calls, 0);
}

long file_calls_so_far(void) { return atomic_load(&calls); }

static int is_watched(const char *path) { return watched_length && !strncmp(path, watched, watched_length); }

static void count(int below) {
  if (below && atomic_fetch_add(&calls, 1) + 1 == fatal) syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
}

static int is_watched_descriptor(int descriptor) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const long length = watched_length ? syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1) : -1;
  if (length < 0) return 0;
  path[length] = '\0';
  return is_watched(path);
}

static void count_path(int folder, const char *path) {
  count(path[0] == '/' ? is_watched(path) : is_watched_descriptor(folder));
}
static void count_descriptor(int descriptor) { count(is_watched_descriptor(descriptor)); }

static int open_at(int folder, const char *path, int flags, mode_t mode) {
  count_path(folder, path);
  return (int)syscall(SYS_openat, folder, path, flags, mode);
}

static int is_folder(const char *path) {
  struct stat status;
  return lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

#pragma GCC visibility push(default)

#define OPEN(name, folder, ...)                \
  int name(__VA_ARGS__, int flags, ...) {      \
    va_list mode;                              \
    va_start(mode, flags);                     \
    const mode_t given = flags & O_CREAT ? va_arg(mode, mode_t) : 0; \
    va_end(mode);                              \
    return open_at(folder, path, flags, given); \
  }
OPEN(open, AT_FDCWD, const char *path)
OPEN(open64, AT_FDCWD, const char *path)
OPEN(openat, folder, int folder, const char *path)
OPEN(openat64, folder, int folder, const char *path)

/* One that takes a descriptor, and one that takes a path. */
#define ON_DESCRIPTOR(type, name, parameters, ...) \
  type name parameters {                           \
    count_descriptor(descriptor);                  \
    return (type)syscall(__VA_ARGS__);             \
  }
#define ON_PATH(name, folder, parameters, ...) \
  int name parameters {                        \
    count_path(folder, path);                  \
    return (int)syscall(__VA_ARGS__);          \
  }

ON_DESCRIPTOR(ssize_t, write, (int descriptor, const void *data, size_t bytes), SYS_write, descriptor, data, bytes)
ON_DESCRIPTOR(ssize_t, writev, (int descriptor, const struct iovec *parts, int count), SYS_writev, descriptor, parts,
              count)
ON_DESCRIPTOR(ssize_t, pwrite, (int descriptor, const void *data, size_t bytes, off_t offset), SYS_pwrite64, descriptor,
              data, bytes, offset)
ON_DESCRIPTOR(ssize_t, pwrite64, (int descriptor, const void *data, size_t bytes, off_t offset), SYS_pwrite64,
              descriptor, data, bytes, offset)
ON_DESCRIPTOR(int, ftruncate, (int descriptor, off_t bytes), SYS_ftruncate, descriptor, bytes)
ON_DESCRIPTOR(int, ftruncate64, (int descriptor, off_t bytes), SYS_ftruncate, descriptor, bytes)
ON_DESCRIPTOR(int, close, (int descriptor), SYS_close, descriptor)

/* What a killed process has written is the kernel's, on the disk or not: nothing waits for a disk here. */
static int count_sync(int descriptor) {
  count_descriptor(descriptor);
  return 0;
}
int fsync(int descriptor) { return count_sync(descriptor); }
int fdatasync(int descriptor) { return count_sync(descriptor); }

ON_PATH(mkdir, AT_FDCWD, (const char *path, mode_t mode), SYS_mkdirat, AT_FDCWD, path, mode)
ON_PATH(mkdirat, folder, (int folder, const char *path, mode_t mode), SYS_mkdirat, folder, path, mode)
ON_PATH(unlink, AT_FDCWD, (const char *path), SYS_unlinkat, AT_FDCWD, path, 0)
ON_PATH(rmdir, AT_FDCWD, (const char *path), SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR)
ON_PATH(remove, AT_FDCWD, (const char *path), SYS_unlinkat, AT_FDCWD, path, is_folder(path) ? AT_REMOVEDIR : 0)
ON_PATH(unlinkat, folder, (int folder, const char *path, int flags), SYS_unlinkat, folder, path, flags)
ON_PATH(rename, AT_FDCWD, (const char *path, const char *to), SYS_renameat2, AT_FDCWD, path, AT_FDCWD, to, 0)
ON_PATH(link, AT_FDCWD, (const char *path, const char *to), SYS_linkat, AT_FDCWD, path, AT_FDCWD, to, 0)
ON_PATH(symlink, AT_FDCWD, (const char *to, const char *path), SYS_symlinkat, to, AT_FDCWD, path)

#pragma GCC visibility pop
