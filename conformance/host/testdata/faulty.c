/* faulty.c: a subject for tests of the host. It trains nothing; its ranks meet in every step, and options make one rank
 * misbehave there.
 *   fault=crash|hang|stop|exit|exit_and_crash|fail|refuse|absent|orphan|mxcsr|leak|grow|map|file|lost|spill|noise|null_key|many_owned|spam|babble|no_files|work|spin
 *   rank=R (default 1)   step=S (default 0)
 * and behind the last case: fault=abort_shutdown|loop_shutdown|abort_at_exit|fail_at_exit */
#define _DEFAULT_SOURCE
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <xmmintrin.h>

#include "conformance/host/testdata/meet.h"

struct zerocts_engine {
  const zerocts_host* host;
  uint32_t rank, world_size, deadline_ms, faulty_rank, n_parameters;
  uint64_t faulty_step;
  char fault[16];
  int64_t numel[64];
  const float* values; /* of all parameters laid end to end */
  void* grown;
};
static int lines_of_process;
static char fault_of_process[16]; /* of the rank that misbehaves, for when no engine is left */

struct zerocts_status {
  int code;
  char message[200];
};

static zerocts_status* Error(int code, const char* message) {
  zerocts_status* status = malloc(sizeof *status);
  status->code = code;
  snprintf(status->message, sizeof status->message, "%s", message);
  return status;
}

static int64_t OffsetOf(const zerocts_engine* e, uint32_t parameter) {
  int64_t offset = 0;
  for (uint32_t p = 0; p < parameter; p++) offset += e->numel[p];
  return offset;
}

/* As where threads at work lose what they use. */
static void CrashAtExit(void) { raise(SIGSEGV); }

static zerocts_status* Open(zerocts_open_args* a) {
  zerocts_engine* e = a->host->alloc(a->host->context, sizeof *e, ZEROCTS_MEMORY_BUFFER);
  *e = (zerocts_engine){.host = a->host,
                        .rank = a->rank,
                        .world_size = a->world_size,
                        .deadline_ms = a->deadline_ms,
                        .faulty_rank = 1,
                        .n_parameters = a->n_parameters};
  a->engine = e;
  for (uint32_t i = 0; i < a->n_options; i++) {
    const zerocts_option* option = a->options[i];
    if (strcmp(option->key, "fault") == 0)
      snprintf(e->fault, sizeof e->fault, "%s", option->value);
    else if (strcmp(option->key, "rank") == 0)
      e->faulty_rank = (uint32_t)atoi(option->value);
    else if (strcmp(option->key, "step") == 0)
      e->faulty_step = (uint64_t)atoi(option->value);
    else
      return Error(ZEROCTS_INVALID_ARGUMENT, "unknown option");
  }
  if (e->rank == e->faulty_rank) memcpy(fault_of_process, e->fault, sizeof fault_of_process);
  if (e->rank == e->faulty_rank && strcmp(e->fault, "exit_and_crash") == 0) atexit(CrashAtExit);
  for (uint32_t p = 0; p < a->n_parameters; p++) e->numel[p] = a->parameters[p]->numel;
  float* values =
      a->host->alloc(a->host->context, (size_t)OffsetOf(e, e->n_parameters) * sizeof *values, ZEROCTS_MEMORY_PARAMETER);
  e->values = values;
  for (uint32_t p = 0; p < a->n_parameters; p++)
    for (int64_t i = 0; i < e->numel[p]; i++) *values++ = a->parameters[p]->initial[i];
  return NULL;
}

static zerocts_status* Accumulate(zerocts_accumulate_args* a) {
  (void)a;
  return NULL;
}

static void Write(size_t mebibytes) {
  static char text[1 << 20];
  memset(text, '.', sizeof text);
  for (size_t i = 0; i < mebibytes; i++)
    if (write(STDERR_FILENO, text, sizeof text) < 0) return;
}

static void WriteFile(size_t bytes) {
  FILE* file = tmpfile();
  void* zeros = calloc(1, bytes);
  if (file && fwrite(zeros, 1, bytes, file) == bytes) fclose(file);
  free(zeros);
}

/* In one that was forked twice. */
static void HoldInLostProcess(size_t bytes) {
  int ready[2];
  char one = 1;
  if (pipe(ready) != 0) return;
  const pid_t first = fork();
  if (first == 0) {
    if (fork() != 0) _exit(0);
    setsid();
    memset(mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1, bytes);
    while (write(ready[1], &one, 1) == 1) pause();
  }
  while (read(ready[0], &one, 1) < 0) continue;
  waitpid(first, NULL, 0);
  close(ready[0]);
  close(ready[1]);
}

static double SecondsOfCore(void) {
  struct timespec ran;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran);
  return (double)ran.tv_sec + (double)ran.tv_nsec / 1e9;
}

/* Nonzero: the rank does not come to the meeting. */
static int Misbehave(zerocts_engine* e, zerocts_status** status) {
  e->host->progress(e->host->context, "misbehave", e->fault);
  if (strcmp(e->fault, "crash") == 0) raise(SIGSEGV);
  if (strcmp(e->fault, "stop") == 0)
    raise(SIGSTOP); /* kill() would let this thread go on until the one that it picks runs */
  if (strcmp(e->fault, "exit") == 0 || strcmp(e->fault, "exit_and_crash") == 0) exit(0);
  if (strcmp(e->fault, "fail") == 0) exit(7);
  if (strcmp(e->fault, "errx") == 0) errx(0, "a library gave up");
  if (strcmp(e->fault, "mxcsr") == 0) _mm_setcsr(_mm_getcsr() | 0x8040);
  if (strcmp(e->fault, "no_files") == 0) setrlimit(RLIMIT_NOFILE, &(struct rlimit){3, 3});
  if (strcmp(e->fault, "leak") == 0) e->host->alloc(e->host->context, 100, ZEROCTS_MEMORY_BUFFER);
  if (strcmp(e->fault, "grow") == 0 || strcmp(e->fault, "spill") == 0) e->grown = memset(malloc(5000000), 1, 5000000);
  if (strcmp(e->fault, "file") == 0) WriteFile(20000000);
  if (strcmp(e->fault, "lost") == 0) HoldInLostProcess(20000000);
  if (strcmp(e->fault, "map") == 0)
    memset(mmap(NULL, 20000000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1, 20000000);
  if (strcmp(e->fault, "noise") == 0) {
    fprintf(stderr, "line %d of the faulty rank\n", ++lines_of_process);
    if (lines_of_process == 2) raise(SIGSEGV);
  }
  if (strcmp(e->fault, "null_key") == 0 && e->host->set(e->host->context, NULL, "value", 5) != ZEROCTS_OK) {
    *status = Error(ZEROCTS_INTERNAL, e->host->last_error(e->host->context));
  }
  if (strcmp(e->fault, "babble") == 0) Write(40);
  if (strcmp(e->fault, "spam") == 0) Write(1 << 20);
  if (strcmp(e->fault, "refuse") == 0) *status = Error(ZEROCTS_INTERNAL, "asked to refuse");
  if (strcmp(e->fault, "orphan") == 0 && fork() == 0) {
    setsid();
    for (;;) pause();
  }
  const double work_ends = SecondsOfCore() + 0.5;
  while (strcmp(e->fault, "spin") == 0 || (strcmp(e->fault, "work") == 0 && SecondsOfCore() < work_ends)) {
  }
  while (strcmp(e->fault, "hang") == 0) pause();
  return strcmp(e->fault, "absent") == 0 || *status;
}

static zerocts_status* Step(zerocts_step_args* a) {
  zerocts_engine* e = a->engine;
  zerocts_status* status = NULL;
  if (e->fault[0] != '\0' && e->rank == e->faulty_rank && a->step == e->faulty_step && Misbehave(e, &status))
    return status;
  e->host->progress(e->host->context, "meet", "of the step");
  const char* failed = MeetOthers(e->host, e->deadline_ms);
  a->grad_norm = 0;
  a->clip_coefficient = 1;
  return failed ? Error(ZEROCTS_DEADLINE_EXCEEDED, failed) : NULL;
}

static zerocts_status* SetGroup(zerocts_set_group_args* a) {
  (void)a;
  return NULL;
}

static zerocts_status* ReadParameter(zerocts_read_parameter_args* a) {
  memcpy(a->data, a->engine->values + OffsetOf(a->engine, a->parameter), a->bytes);
  return NULL;
}

static zerocts_status* Owned(zerocts_owned_args* a) {
  if (strcmp(a->engine->fault, "many_owned") == 0 && a->engine->rank == a->engine->faulty_rank) {
    a->count = UINT32_MAX;
    return NULL;
  }
  a->count = a->engine->numel[a->parameter] > 0;
  if (a->count && a->capacity) a->intervals[0] = (zerocts_interval){0, a->engine->numel[a->parameter]};
  return NULL;
}

static zerocts_status* ReadState(zerocts_read_state_args* a) {
  memcpy(a->data, a->engine->values + OffsetOf(a->engine, a->parameter) + a->begin,
         (size_t)(a->end - a->begin) * sizeof(float));
  return NULL;
}

static zerocts_status* Memory(zerocts_memory_args* a) {
  a->parameter_bytes = (uint64_t)OffsetOf(a->engine, a->engine->n_parameters) * sizeof(float);
  if (strcmp(a->engine->fault, "spill") == 0) {
    free(a->engine->grown);
    a->engine->grown = NULL;
  }
  return NULL;
}

static void Close(zerocts_engine* e) {
  free(e->grown);
  e->host->free(e->host->context, (void*)e->values);
  e->host->free(e->host->context, e);
}

static void Shutdown(void) {
  LeaveOthers();
  if (strcmp(fault_of_process, "abort_shutdown") == 0) abort();
  while (strcmp(fault_of_process, "loop_shutdown") == 0) pause();
}

__attribute__((destructor)) static void AtExit(void) {
  if (strcmp(fault_of_process, "abort_at_exit") == 0) abort();
  if (strcmp(fault_of_process, "fail_at_exit") == 0) _exit(7);
}

static int StatusCode(const zerocts_status* status) { return status->code; }
static const char* StatusMessage(const zerocts_status* status) { return status->message; }
static void StatusFree(zerocts_status* status) { free(status); }

const zerocts_subject zerocts_subject_v1 = {
    .struct_size = sizeof(zerocts_subject),
    .abi_major = ZEROCTS_ABI_MAJOR,
    .abi_minor = ZEROCTS_ABI_MINOR,
    .name = "faulty",
    .version = "1",
    .description = "misbehaves when asked to",
    .capabilities =
        "{\"stages\": [0, 1], \"param_dtypes\": [\"fp32\"], \"optimizers\": [\"sgd\"], \"world_sizes\": [1, 8],"
        " \"ranks_as_threads\": true, \"accumulation\": true, \"states\": [\"master\"]}",
    .open = Open,
    .accumulate = Accumulate,
    .step = Step,
    .set_group = SetGroup,
    .read_parameter = ReadParameter,
    .owned = Owned,
    .read_state = ReadState,
    .memory = Memory,
    .close = Close,
    .shutdown = Shutdown,
    .status_code = StatusCode,
    .status_message = StatusMessage,
    .status_free = StatusFree,
};
