// MPI as a resource of the process: started once at first use, ended once, and never trusted again after a wait that
// ran out.
#pragma once
#include <mutex>

namespace zerocts::engine {

/// Throws std::runtime_error when MPI does not offer calls from one thread at a time.
void StartMpi();

/// Held around every call of MPI: streams of several groups may run on threads of their own.
std::mutex& MpiMutex();

/// Largest tag of a message.
int LargestMpiTag();

/// Says that messages are still under way: their buffers must stay, and MPI_Finalize would wait for ever.
void MarkMpiBroken();
bool MpiIsBroken();

/// Throws std::runtime_error with MPI's text when `code` is not MPI_SUCCESS.
void CheckMpi(int code, const char* call);

}  // namespace zerocts::engine
