/* faulty_subject.c: a sound subject around whose calls one rank misbehaves. Variables say what it does, and where:
 *   CAMPAIGN_SUBJECT=PATH of the sound plugin   CAMPAIGN_FAULT, CAMPAIGN_PHASE, CAMPAIGN_RANK: see injections.py
 *   CAMPAIGN_REACHED=FILE that is made when the fault happens, with the number of the process */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fenv.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xmmintrin.h>

#include "conformance/host/testdata/started_with.h"

#define zerocts_subject_v1 declared_as_const /* here it is filled in when the library is loaded */
#include "zerocts_subject.h"
#undef zerocts_subject_v1
ZEROCTS_EXPORT zerocts_subject zerocts_subject_v1;

static const zerocts_subject* sound;
static _Thread_local int is_faulty_rank; /* one rank is one thread */
static int has_faulty_rank;              /* this process */
static _Thread_local unsigned char* block;
static _Thread_local size_t first_bytes; /* of the first parameter */

static const char* Variable(const char* name) { return getenv(name) ? getenv(name) : ""; }
static int Is(const char* fault) { return strcmp(Variable("CAMPAIGN_FAULT"), fault) == 0; }
static int In(const char* phase) { return strcmp(Variable("CAMPAIGN_PHASE"), phase) == 0; }

static void Reached(void) {
  const int file = open(Variable("CAMPAIGN_REACHED"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file >= 0) dprintf(file, "%d", getpid());
  if (file >= 0) close(file);
}

/* No word comes or goes any more, and no new socket can be made. */
static void LoseSockets(void) {
  const struct rlimit none = {3, 3};
  setrlimit(RLIMIT_NOFILE, &none);
  for (int fd = 3; fd < 1024; fd++) {
    struct stat what;
    if (fstat(fd, &what) == 0 && S_ISSOCK(what.st_mode)) shutdown(fd, SHUT_RDWR);
  }
}

/* For ranks in Python, too. */
ZEROCTS_EXPORT void campaign_flush_to_zero(void) { _mm_setcsr(_mm_getcsr() | 0x8040); }

/* What needs no arguments of a call. */
static void Misbehave(void) {
  if (Is("crash")) *(volatile int*)NULL = 1;
  if (Is("abort")) abort();
  if (Is("kill")) raise(SIGKILL);
  if (Is("stop")) raise(SIGSTOP);
  if (Is("exit")) exit(0);
  if (Is("lost_socket")) LoseSockets();
  if (Is("rounding")) fesetround(FE_UPWARD);
  if (Is("flush_to_zero")) campaign_flush_to_zero();
  while (Is("hang")) pause();
}

/* Nonzero: the fault is due in this phase, and what can be done without arguments is done. */
static int At(const char* phase) {
  if (!is_faulty_rank || !In(phase)) return 0;
  Reached();
  Misbehave();
  return 1;
}

__attribute__((constructor(101))) static void Load(void) {
  char entry[64];
  snprintf(entry, sizeof entry, "ZEROCTS_RANK=%s", Variable("CAMPAIGN_RANK"));
  has_faulty_rank = is_faulty_rank = WasStartedWith(entry);
  At("load");
}

/* A file of the checkpoint, cut in half or with one bit changed. */
static void DamageFile(const char* path) {
  struct stat what;
  const int file = open(path, O_RDWR | O_CLOEXEC);
  unsigned char byte = 0;
  if (file >= 0 && fstat(file, &what) == 0 && Is("cut_file") && ftruncate(file, what.st_size / 2) != 0) abort();
  if (file >= 0 && Is("corrupt_file") && pread(file, &byte, 1, what.st_size - 1) == 1) {
    byte ^= 0x10;
    if (pwrite(file, &byte, 1, what.st_size - 1) != 1) abort();
  }
  if (file >= 0) close(file);
}

static void DamageFiles(const char* folder) {
  DIR* entries = opendir(folder);
  for (struct dirent* entry; entries && (entry = readdir(entries));) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (entry->d_type == DT_REG) DamageFile(path);
  }
  if (entries) closedir(entries);
}

static zerocts_status* Open(zerocts_open_args* a) {
  is_faulty_rank = a->rank == (uint32_t)atoi(Variable("CAMPAIGN_RANK")) && a->world_size > 1;
  has_faulty_rank |= is_faulty_rank;
  At("open");
  first_bytes = a->n_parameters > 0 ? (size_t)a->parameters[0]->numel * sizeof(float) : 0;
  zerocts_status* status = sound->open(a);
  if (is_faulty_rank && Is("overflow")) block = a->host->alloc(a->host->context, 64, ZEROCTS_MEMORY_BUFFER);
  return status;
}

/* Gradients are the host's: the first one is changed in a copy. */
static zerocts_status* Accumulate(zerocts_accumulate_args* a) {
  const int has_first = a->n_gradients > 0 && a->gradients[0] && first_bytes > 0;
  if (!(At("accumulate") && has_first && (Is("nan") || Is("disagree")))) return sound->accumulate(a);
  const void** gradients = malloc(a->n_gradients * sizeof *gradients);
  float* first = malloc(first_bytes);
  memcpy(gradients, a->gradients, a->n_gradients * sizeof *gradients);
  memcpy(first, gradients[0], first_bytes);
  gradients[0] = first;
  first[0] = Is("nan") ? NAN : first[0] + 3;
  zerocts_accumulate_args changed = *a;
  changed.gradients = gradients;
  zerocts_status* status = sound->accumulate(&changed);
  free(first);
  free(gradients);
  return status;
}

static zerocts_status* Step(zerocts_step_args* a) {
  if (At("step") && Is("overflow") && block) block[64] ^= 0x5a;
  return sound->step(a);
}

static zerocts_status* ReadParameter(zerocts_read_parameter_args* a) {
  const int due = At("reads");
  zerocts_status* status = sound->read_parameter(a);
  float* values = a->data;
  if (due && Is("overflow")) values[a->bytes / sizeof *values] = 1;
  if (due && a->bytes >= sizeof *values && Is("nan")) values[0] = NAN;
  if (due && a->bytes >= sizeof *values && Is("disagree")) values[0] = nextafterf(values[0], INFINITY);
  return status;
}

static zerocts_status* Owned(zerocts_owned_args* a) {
  if (!(is_faulty_rank && In("reads") && Is("garbage"))) return sound->owned(a);
  Reached();
  a->count = 1;
  if (a->capacity) a->intervals[0] = (zerocts_interval){-7, (int64_t)1 << 40};
  return NULL;
}

static zerocts_status* Save(zerocts_checkpoint_args* a) {
  const int due = At("save");
  zerocts_status* status = sound->save(a);
  if (due) DamageFiles(a->folder);
  return status;
}

static zerocts_status* Resume(zerocts_checkpoint_args* a) {
  if (At("resume")) DamageFiles(a->folder);
  return sound->load(a);
}

static void Close(zerocts_engine* engine) {
  At("close");
  sound->close(engine);
}

static void Shutdown(void) {
  is_faulty_rank = has_faulty_rank;
  At("shutdown");
  if (sound->shutdown) sound->shutdown();
}

__attribute__((constructor)) static void WrapSound(void) {
  void* library = dlopen(Variable("CAMPAIGN_SUBJECT"), RTLD_NOW | RTLD_LOCAL);
  sound = library ? dlsym(library, ZEROCTS_SUBJECT_SYMBOL) : NULL;
  if (!sound) return;
  memcpy(&zerocts_subject_v1, sound, sound->struct_size < sizeof *sound ? sound->struct_size : sizeof *sound);
  zerocts_subject_v1.open = Open;
  zerocts_subject_v1.accumulate = Accumulate;
  zerocts_subject_v1.step = Step;
  zerocts_subject_v1.read_parameter = ReadParameter;
  zerocts_subject_v1.owned = Owned;
  zerocts_subject_v1.save = sound->save ? Save : NULL;
  zerocts_subject_v1.load = sound->load ? Resume : NULL;
  zerocts_subject_v1.close = Close;
  zerocts_subject_v1.shutdown = Shutdown;
  At("constructor");
}
