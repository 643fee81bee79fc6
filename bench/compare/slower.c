/* A plugin that is another one, and worse by as much as it is told: --option slower=5 makes accumulate and step take 5
 * % longer, by spinning; --option leaks=1 makes each step lose memory of 1 % of the parameters. For experiments on
 * `zerocts bench compare`, which has to find it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conformance/abi/zerocts_subject.h"

enum { kMostOptions = 64 };

static const zerocts_subject* slowed;
static double slower_by; /* 0.05: 5 %; the same for all ranks of a process */
static double leaked_share;
static size_t leaked_bytes; /* by each step of each rank */
static void* volatile lost;

/* The exported table: a copy of the other one, filled in when this library is loaded. */
zerocts_subject slower_table __attribute__((visibility("default")));
__asm__(".globl zerocts_subject_v1\n.set zerocts_subject_v1, slower_table");

static double Now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void SpinAfter(double begin) {
  const double end = Now(), until = end + slower_by * (end - begin);
  while (Now() < until) {
  }
}

static zerocts_status* Accumulate(zerocts_accumulate_args* args) {
  const double begin = Now();
  zerocts_status* status = slowed->accumulate(args);
  SpinAfter(begin);
  return status;
}

static zerocts_status* Step(zerocts_step_args* args) {
  const double begin = Now();
  zerocts_status* status = slowed->step(args);
  SpinAfter(begin);
  if (leaked_bytes > 0) {
    lost = malloc(leaked_bytes);
    memset(lost, 1, leaked_bytes);
  }
  return status;
}

static size_t BytesOf(const zerocts_open_args* args) {
  size_t bytes = 0;
  for (uint32_t i = 0; i < args->n_parameters; ++i) bytes += sizeof(float) * (size_t)args->parameters[i]->numel;
  return bytes;
}

/* The other one refuses an option that it does not know. */
static zerocts_status* Open(zerocts_open_args* args) {
  const zerocts_option* others[kMostOptions];
  const zerocts_option* const* all = args->options;
  const uint32_t count = args->n_options;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count && i < kMostOptions; ++i) {
    if (strcmp(all[i]->key, "slower") == 0) {
      slower_by = atof(all[i]->value) / 100;
    } else if (strcmp(all[i]->key, "leaks") == 0) {
      leaked_share = atof(all[i]->value) / 100;
    } else {
      others[kept++] = all[i];
    }
  }
  leaked_bytes = (size_t)(leaked_share * (double)BytesOf(args));
  args->options = others;
  args->n_options = kept;
  zerocts_status* status = slowed->open(args);
  args->options = all;
  args->n_options = count;
  return status;
}

__attribute__((constructor)) static void Load(void) {
  void* library = dlopen(SLOWED_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  slowed = library ? (const zerocts_subject*)dlsym(library, ZEROCTS_SUBJECT_SYMBOL) : NULL;
  if (!slowed) {
    fprintf(stderr, "slower: expected the plugin %s, got: %s\n", SLOWED_PLUGIN, dlerror());
    exit(2);
  }
  slower_table = *slowed;
  slower_table.open = Open;
  slower_table.accumulate = Accumulate;
  slower_table.step = Step;
}
