// .metadata of torch DCP without the files that it names, up to the verdict.
#include "conformance/plans/read/pickle/pickles_for_test.hpp"
#include "conformance/plans/reading.hpp"
#include "reference/experiment/fuzz_target_for_test.hpp"
#include "reference/plan/judge/judge.hpp"
#include "reference/plan/runs/problem.hpp"

namespace zerocts {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("zerocts_fuzz_dcp." + std::to_string(getpid()))) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path() const { return path_; }

 private:
  const fs::path path_;
};

}  // namespace

std::vector<std::string> FuzzSeeds() { return {read::PickleOfDcpMetadata()}; }

void FuzzOne(std::string_view bytes) {
  static const Folder folder;
  std::ofstream(folder.path() + "/.metadata", std::ios::binary) << bytes;
  ReadOrRefuse<std::invalid_argument>(bytes, [&] {
    const read::Reading reading = read::ReadDcp(folder.path());
    if (plan::Problem(reading.plan).empty()) plan::Judge(reading.plan);
  });
}

}  // namespace zerocts
