#include "impl/device/loaded_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <glob.h>

#include <cstdlib>

namespace zerocts::engine {

LoadedLibrary::LoadedLibrary(const std::string& name, const std::vector<std::string>& candidates, Refuse refuse)
    : refuse_(std::move(refuse)) {
  std::vector<std::string> reasons;
  for (const std::string& path : candidates) {
    handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_) {
      path_ = path;
      return;
    }
    reasons.emplace_back(dlerror());  // begins with the path
  }
  refuse_(fmt::format("no {} could be loaded ({})", name, fmt::join(reasons, "; ")));
}

void* LoadedLibrary::Address(const char* function) const {
  void* address = dlsym(handle_, function);
  if (!address) refuse_(fmt::format("{} has no function {}", path_, function));
  return address;
}

void AddFiles(std::vector<std::string>& candidates, const std::string& pattern) {
  glob_t found{};
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    candidates.insert(candidates.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  globfree(&found);
}

std::vector<std::string> FoldersOfCudaToolkit() {
  std::vector<std::string> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* toolkit = std::getenv(variable)) folders.push_back(fmt::format("{}/lib64", toolkit));
  }
  folders.emplace_back("/usr/local/cuda/lib64");
  return folders;
}

void AddFilesOfWheels(std::vector<std::string>& candidates, const std::string& file) {
  if (const char* environment = std::getenv("VIRTUAL_ENV")) {
    AddFiles(candidates, fmt::format("{}/lib/python3*/site-packages/nvidia/{}", environment, file));
  }
}

}  // namespace zerocts::engine
