#include "impl/comm/mpi/runtime.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <mpi.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <stdexcept>

#include "impl/comm/backends.hpp"

namespace zerocts::engine {
namespace {

std::mutex mutex;
bool started_here = false;
std::atomic<bool> broken = false;

/// A plugin's libraries are private to it. Open MPI opens components of its own; where they were built without a link
/// to libmpi they look for its symbols among the global ones (Debian's 4.1 links them, others do not).
void MakeMpiSymbolsGlobal() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&MPI_Init_thread), &info) && info.dli_fname) {
    dlopen(info.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
  }
}

}  // namespace

void StartMpi() {
  const std::lock_guard lock(mutex);
  int initialized = 0;
  MPI_Initialized(&initialized);
  int provided = 0;
  if (!initialized) {
    MakeMpiSymbolsGlobal();
    CheckMpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided), "MPI_Init_thread");
    started_here = true;
  }
  CheckMpi(MPI_Query_thread(&provided), "MPI_Query_thread");
  if (provided < MPI_THREAD_SERIALIZED) {
    throw std::runtime_error("comm mpi: this MPI serves only its first thread; expected MPI_THREAD_SERIALIZED");
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

std::mutex& MpiMutex() {
  static std::mutex of_calls;
  return of_calls;
}

int LargestMpiTag() {
  int* largest = nullptr;
  int found = 0;
  CheckMpi(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &largest, &found), "MPI_Comm_get_attr");
  return found ? *largest : 32767;  // what every MPI has
}

void MarkMpiBroken() { broken = true; }
bool MpiIsBroken() { return broken; }

void CheckMpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw std::runtime_error(fmt::format("{}: {}", call, text));
}

bool HasMpi() { return true; }

bool StartedByMpi() { return std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr || std::getenv("PMI_SIZE") != nullptr; }

RankInMpi FindRankInMpi() {
  StartMpi();
  const std::lock_guard lock(MpiMutex());
  RankInMpi mine;
  MPI_Comm_rank(MPI_COMM_WORLD, &mine.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &mine.world_size);
  return mine;
}

void ShutDownMpi() {
  const std::lock_guard lock(mutex);
  if (!started_here || broken) return;
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!finalized) MPI_Finalize();
}

}  // namespace zerocts::engine
