// A library that a process finds at run time, so that a build needs none.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace zerocts::engine {

class LoadedLibrary {
 public:
  using Refuse = std::function<void(const std::string& reason)>;  // throws

  /// Loads the first of `candidates` that the loader takes: absolute paths of files, or names for the loader's own
  /// path. `name` is what a refusal calls it. It stays loaded.
  LoadedLibrary(const std::string& name, const std::vector<std::string>& candidates, Refuse refuse);

  const std::string& path() const { return path_; }

  template <typename Function>
  void Bind(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(Address(name));
  }

 private:
  void* Address(const char* function) const;

  const Refuse refuse_;
  void* handle_ = nullptr;
  std::string path_;
};

/// Adds the files that match a shell pattern.
void AddFiles(std::vector<std::string>& candidates, const std::string& pattern);

/// Where CUDA's toolkit has libraries: CUDA_HOME, CUDA_PATH, and the usual place.
std::vector<std::string> FoldersOfCudaToolkit();

/// Adds those of the Python environment that this process runs in; `file` is a pattern below nvidia/ of its packages.
void AddFilesOfWheels(std::vector<std::string>& candidates, const std::string& file);

}  // namespace zerocts::engine
