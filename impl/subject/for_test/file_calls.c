#define _GNU_SOURCE
#include "impl/subject/for_test/file_calls.h"

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
static long fatal;
static atomic_long calls;

static char lines[1 << 20]; /* zeros behind the last one */
static atomic_size_t used;

void watch_file_calls(const char* folder, long fatal_call) {
  snprintf(watched, sizeof watched, "%s", folder);
  fatal = fatal_call;
  atomic_store(&calls, 0);
  atomic_store(&used, 0);
  memset(lines, 0, sizeof lines);
}

const char* file_calls(void) { return lines; }

static void record(const char* call, const char* path) {
  if (!watched[0] || strncmp(path, watched, strlen(watched)) != 0) return;
  if (atomic_fetch_add(&calls, 1) + 1 == fatal) syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
  char line[PATH_MAX + 16];
  const size_t length = (size_t)snprintf(line, sizeof line, "%s %s\n", call, path);
  const size_t begin = atomic_fetch_add(&used, length);
  if (begin + length < sizeof lines) memcpy(lines + begin, line, length);
}

/* "" where there is none. */
static void path_of(int descriptor, char path[PATH_MAX]) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const long length = watched[0] ? syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1) : 0;
  path[length > 0 ? length : 0] = '\0';
}

static void record_descriptor(const char* call, int descriptor) {
  char path[PATH_MAX];
  path_of(descriptor, path);
  record(call, path);
}

static void record_path(const char* call, int folder, const char* path) {
  char above[PATH_MAX], whole[2 * PATH_MAX];
  if (path[0] == '/' || folder == AT_FDCWD) {
    record(call, path);
    return;
  }
  path_of(folder, above);
  snprintf(whole, sizeof whole, "%s/%s", above, path);
  record(call, whole);
}

static int is_folder(const char* path) {
  struct stat status;
  return lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

#pragma GCC visibility push(default)

#define OPEN(name, folder, ...)                                      \
  int name(__VA_ARGS__, int flags, ...) {                            \
    va_list mode;                                                    \
    va_start(mode, flags);                                           \
    const mode_t given = flags & O_CREAT ? va_arg(mode, mode_t) : 0; \
    va_end(mode);                                                    \
    record_path(flags& O_CREAT ? "create" : "open", folder, path);   \
    return (int)syscall(SYS_openat, folder, path, flags, given);     \
  }
OPEN(open, AT_FDCWD, const char* path)
OPEN(open64, AT_FDCWD, const char* path)
OPEN(openat, folder, int folder, const char* path)
OPEN(openat64, folder, int folder, const char* path)

#define ON_DESCRIPTOR(type, name, call, parameters, ...) \
  type name parameters {                                 \
    record_descriptor(call, descriptor);                 \
    return (type)(__VA_ARGS__);                          \
  }
ON_DESCRIPTOR(ssize_t, write, "write", (int descriptor, const void* data, size_t bytes),
              syscall(SYS_write, descriptor, data, bytes))
ON_DESCRIPTOR(ssize_t, writev, "write", (int descriptor, const struct iovec* parts, int count),
              syscall(SYS_writev, descriptor, parts, count))
ON_DESCRIPTOR(ssize_t, pwrite, "write", (int descriptor, const void* data, size_t bytes, off_t offset),
              syscall(SYS_pwrite64, descriptor, data, bytes, offset))
ON_DESCRIPTOR(ssize_t, pwrite64, "write", (int descriptor, const void* data, size_t bytes, off_t offset),
              syscall(SYS_pwrite64, descriptor, data, bytes, offset))
ON_DESCRIPTOR(int, ftruncate, "write", (int descriptor, off_t bytes), syscall(SYS_ftruncate, descriptor, bytes))
ON_DESCRIPTOR(int, ftruncate64, "write", (int descriptor, off_t bytes), syscall(SYS_ftruncate, descriptor, bytes))
ON_DESCRIPTOR(int, close, "close", (int descriptor), syscall(SYS_close, descriptor))
/* What a killed process has written is the kernel's, on the disk or not: nothing waits for a disk here. */
ON_DESCRIPTOR(int, fsync, "fsync", (int descriptor), 0)
ON_DESCRIPTOR(int, fdatasync, "fsync", (int descriptor), 0)

#define ON_PATH(name, folder, parameters, ...) \
  int name parameters {                        \
    record_path(#name, folder, path);          \
    return (int)syscall(__VA_ARGS__);          \
  }
ON_PATH(mkdir, AT_FDCWD, (const char* path, mode_t mode), SYS_mkdirat, AT_FDCWD, path, mode)
ON_PATH(mkdirat, folder, (int folder, const char* path, mode_t mode), SYS_mkdirat, folder, path, mode)
ON_PATH(unlink, AT_FDCWD, (const char* path), SYS_unlinkat, AT_FDCWD, path, 0)
ON_PATH(rmdir, AT_FDCWD, (const char* path), SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR)
ON_PATH(remove, AT_FDCWD, (const char* path), SYS_unlinkat, AT_FDCWD, path, is_folder(path) ? AT_REMOVEDIR : 0)
ON_PATH(unlinkat, folder, (int folder, const char* path, int flags), SYS_unlinkat, folder, path, flags)
ON_PATH(rename, AT_FDCWD, (const char* path, const char* to), SYS_renameat2, AT_FDCWD, path, AT_FDCWD, to, 0)
ON_PATH(link, AT_FDCWD, (const char* path, const char* to), SYS_linkat, AT_FDCWD, path, AT_FDCWD, to, 0)
ON_PATH(symlink, AT_FDCWD, (const char* to, const char* path), SYS_symlinkat, to, AT_FDCWD, path)

#pragma GCC visibility pop
