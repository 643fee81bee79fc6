// A file of torch.save, read as the optimizer states of a DeepSpeed rank.
#include <zip.h>

#include "conformance/plans/read/deepspeed/deepspeed_files.hpp"
#include "conformance/plans/read/pickle/pickles_for_test.hpp"
#include "reference/experiment/fuzz_target_for_test.hpp"

namespace zerocts {
namespace {

void Add(zip_t* archive, const char* name, const std::string& contents) {
  zip_source_t* source = zip_source_buffer(archive, contents.data(), contents.size(), 0);
  const zip_int64_t member = zip_file_add(archive, name, source, 0);
  if (member < 0 || zip_set_file_compression(archive, static_cast<zip_uint64_t>(member), ZIP_CM_STORE, 0) != 0)
    std::abort();
}

std::string ZipOf(const std::string& pickle) {
  const FuzzFile file("");
  const std::string storage(24, '\0');
  zip_t* archive = zip_open(file.path().c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  Add(archive, "a/data.pkl", pickle);
  Add(archive, "a/data/0", storage);
  if (zip_close(archive) != 0) std::abort();
  std::ifstream in(file.path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

std::vector<std::string> FuzzSeeds() { return {ZipOf(read::PickleOfDeepspeedRank()), ZipOf(read::PickleOfTensor())}; }

void FuzzOne(std::string_view bytes) {
  const FuzzFile file(bytes);
  ReadOrRefuse<std::invalid_argument>(bytes, [&] { read::DeepspeedRankFrom(file.path()); });
}

}  // namespace zerocts
