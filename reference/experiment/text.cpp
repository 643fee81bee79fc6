// Text as training data: loading it, and drawing batches from it.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <tuple>

#include "reference/experiment/byte_pairs.hpp"
#include "reference/experiment/data.hpp"
#include "reference/experiment/hash.hpp"
#include "reference/experiment/random_streams.hpp"
#include "reference/experiment/user_file.hpp"
#include "reference/numerics/counter_rng.hpp"

namespace zerocts {
namespace {

constexpr uint64_t kMostTextBytes = uint64_t{128} << 20;  // tokens take four times as much

std::runtime_error TextError(const std::string& path, const std::string& got) {
  return std::runtime_error("text " + path + ": expected a readable text file, " + got);
}

std::vector<int32_t> Tokens(const std::vector<uint8_t>& bytes, int64_t vocab) {
  if (vocab > BytePairs::kBytes) return BytePairs::Learn(bytes, vocab).Encode(bytes);
  std::vector<int32_t> tokens;
  tokens.reserve(bytes.size());
  for (const uint8_t byte : bytes) tokens.push_back(static_cast<int32_t>(std::min<int64_t>(byte, vocab - 1)));
  return tokens;
}

}  // namespace

TextCorpus TextCorpus::Load(const std::string& path) {
  errno = 0;
  std::ifstream file = OpenUserFile(path, kMostTextBytes);
  if (!file)
    throw TextError(path, std::string("got \"") + std::strerror(errno ? errno : EISDIR) + "\"; check the path");
  TextCorpus corpus;
  try {
    corpus.bytes_.assign(std::istreambuf_iterator<char>(file), {});
  } catch (const std::ios_base::failure& failure) {
    throw TextError(path, std::string("got \"") + failure.what() + "\"; choose another");
  }
  if (corpus.bytes_.empty()) throw TextError(path, "got an empty one; choose another");
  const auto nul = std::find(corpus.bytes_.begin(), corpus.bytes_.end(), 0);
  if (nul != corpus.bytes_.end()) {
    throw TextError(path, "got binary data (a NUL byte at offset " + std::to_string(nul - corpus.bytes_.begin()) +
                              "); choose another");
  }
  corpus.hash_ = HashOfBytes(corpus.bytes_.data(), corpus.bytes_.size());
  return corpus;
}

TextCorpus TextCorpus::LoadFor(const Experiment& experiment) {
  TextCorpus corpus = Load(experiment.text);
  if (corpus.hash() != experiment.text_hash) {
    throw std::runtime_error("text " + experiment.text + ": expected the file with XXH3-128 " + experiment.text_hash +
                             ", got one with " + corpus.hash() + "; use the same text on every machine");
  }
  corpus.tokens_ = Tokens(corpus.bytes_, VocabOf(*experiment.model));
  return corpus;
}

std::shared_ptr<const TextCorpus> TextCorpus::SharedFor(const Experiment& experiment) {
  static std::mutex mutex;
  static std::map<std::tuple<std::string, std::string, int64_t>, std::shared_ptr<const TextCorpus>> texts;
  const std::lock_guard lock(mutex);
  std::shared_ptr<const TextCorpus>& text = texts[{experiment.text, experiment.text_hash, VocabOf(*experiment.model)}];
  if (!text) text = std::make_shared<const TextCorpus>(LoadFor(experiment));
  return text;
}

Batch MakeBatch(const Experiment& experiment, const TextCorpus& text, int64_t step, int64_t g) {
  const int64_t T = ContextOf(*experiment.model), targets = TargetsPerSequence(*experiment.model);
  const std::vector<int32_t>& tokens = text.tokens();
  const int64_t starts = std::ssize(tokens) - T;  // a window is T tokens and the one that follows
  if (starts < 1) {
    throw std::runtime_error("text " + experiment.text + ": expected more than " + std::to_string(T) +
                             " tokens (the model's context), got " + std::to_string(tokens.size()) +
                             "; choose a longer text");
  }
  const uint64_t stream = Stream({kDrawTextPosition, static_cast<uint64_t>(step), static_cast<uint64_t>(g)});
  Batch batch;
  batch.inputs.reserve(experiment.batch * T);
  batch.targets.reserve(experiment.batch * targets);
  for (int64_t b = 0; b < experiment.batch; ++b) {
    const auto window = tokens.begin() + static_cast<int64_t>(RandomBelow(experiment.seed, stream, b, starts));
    batch.inputs.insert(batch.inputs.end(), window, window + T);
    batch.targets.insert(batch.targets.end(), window + T + 1 - targets, window + T + 1);
  }
  return batch;
}

std::string DefaultTextPath() {
  namespace fs = std::filesystem;
  const fs::path licences = "/usr/share/common-licenses", program = fs::read_symlink("/proc/self/exe");
  std::string tried;
  for (const fs::path& path : {licences / "GPL-3", licences / "GPL-2", licences / "LGPL-2.1", licences / "Apache-2.0",
                               program.parent_path().parent_path() / "share/zerocts/LICENSE"}) {
    if (fs::exists(path)) return path;
    tried += (tried.empty() ? "" : ", ") + path.string();
  }
  throw std::runtime_error("no default text: expected one of " + tried + ", got none; name a text file");
}

}  // namespace zerocts
