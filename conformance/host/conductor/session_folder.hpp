// The folder of one run.
#pragma once
#include <memory>
#include <string>

namespace zerocts {

/// A folder of its own for one run, removed with everything in it at the end (also after a signal); Open MPI's session
/// and shared-memory backing folders are pointed into it.
class SessionFolder {
 public:
  SessionFolder();
  ~SessionFolder();
  SessionFolder(const SessionFolder&) = delete;
  SessionFolder& operator=(const SessionFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  class Janitor;
  std::string path_;
  std::unique_ptr<Janitor> janitor_;
};

}  // namespace zerocts
