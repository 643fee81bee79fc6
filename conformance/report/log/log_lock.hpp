// A writer of a log holds it alone until the lock is destroyed or its process is gone, however it goes: the kernel
// lets go.
#pragma once
#include <string>

namespace zerocts {

class LogLock {
 public:
  /// Makes the file where there is none, and changes nothing in it; a folder is held as it is. Throws UsageError: it
  /// cannot be written, or another zerocts writes it; UnfitFile (user_file.hpp) for a fifo.
  explicit LogLock(const std::string& path);
  ~LogLock();
  LogLock(const LogLock&) = delete;
  LogLock& operator=(const LogLock&) = delete;

 private:
  int file_ = -1;
};

}  // namespace zerocts
