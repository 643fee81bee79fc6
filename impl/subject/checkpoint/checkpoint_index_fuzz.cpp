// checkpoint.json of the native engine, whose hash is right.
#include "impl/subject/checkpoint/checkpoint_index.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "reference/experiment/fuzz_target_for_test.hpp"
#include "reference/experiment/hash.hpp"

namespace zerocts::engine {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kSave = 7;

/// A checkpoint with one save.
class SaveFolder {
 public:
  SaveFolder() : path_(fs::temp_directory_path() / ("zerocts_fuzz_save." + std::to_string(getpid()))) {
    fs::create_directories(FolderOfSave(path_, kSave));
  }
  ~SaveFolder() { fs::remove_all(path_); }
  SaveFolder(const SaveFolder&) = delete;
  SaveFolder& operator=(const SaveFolder&) = delete;

  std::string path() const { return path_; }

 private:
  const fs::path path_;
};

}  // namespace
}  // namespace zerocts::engine

namespace zerocts {

using namespace engine;

std::vector<std::string> FuzzSeeds() {
  const SaveFolder folder;
  CheckpointIndex index;
  index.save = kSave;
  index.savers = {.world_size = 2, .stage = 1, .replicas = 1};
  index.files = {{100, std::string(32, 'a')}, {200, std::string(32, 'b')}};
  index.steps = 3;
  index.groups = {{}};
  index.parameters = {{"w", {.shape = {3, 5}}}, {"b", {.shape = {}, .frozen = true}}};
  WriteIndex(index, folder.path());
  std::ifstream in(IndexOfSave(folder.path(), kSave));
  return {std::string(std::istreambuf_iterator<char>(in), {})};
}

void FuzzOne(std::string_view bytes) {
  static const SaveFolder folder;
  std::ofstream(IndexOfSave(folder.path(), kSave), std::ios::binary) << bytes;
  ReadOrRefuse<std::runtime_error>(bytes, [&] {
    ReadIndex(folder.path(), {kSave, HashOfBytes(bytes.data(), bytes.size())});
  });
}

}  // namespace zerocts
