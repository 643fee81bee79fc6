// How many files the worker's process may open. The plugin shares them with it.
#pragma once
#include <sys/resource.h>

#include <string>

namespace zerocts {

class OpenFilesLimit {
 public:
  OpenFilesLimit() : before_(Now()) {}
  /// "lowered the limit of open files from 1024 to 3", of who ran since this was made; "": nobody did.
  std::string Lowered() const;

 private:
  static rlim_t Now();
  const rlim_t before_;
};

}  // namespace zerocts
