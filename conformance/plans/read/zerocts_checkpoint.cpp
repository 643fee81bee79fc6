// Checkpoints of our own engine. `latest` has the hash of an index, the index those of the headers of all files, and a
// header those of its tensors: what is of another save is found. Files have ranges of optimizer states by name,
// "w1/exp_avg/3:17"; of parameters there is the master alone.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "conformance/host/system/errors.hpp"
#include "conformance/plans/reading.hpp"
#include "conformance/plans/safetensors.hpp"
#include "conformance/report/words/text.hpp"
#include "reference/experiment/hash.hpp"
#include "reference/experiment/json_readers.hpp"
#include "reference/experiment/json_text.hpp"
#include "reference/experiment/shown_bytes.hpp"
#include "reference/plan/runs/problem.hpp"

namespace zerocts::read {

using nlohmann::json;

namespace {

constexpr std::string_view kOurName = "zerocts.checkpoint/", kOurFormat = "zerocts.checkpoint/2";
constexpr uint64_t kLongestLatest = 4096;
constexpr size_t kHashDigits = 32;
constexpr JsonLimits kLimits{.bytes = size_t{16} << 20, .values = 500'000};

namespace fs = std::filesystem;

bool IsFile(const fs::path& path) {
  std::error_code failed;
  return fs::is_regular_file(path, failed);
}

bool IsFolder(const fs::path& path) {
  std::error_code failed;
  return fs::is_directory(path, failed);
}

uint64_t BytesOfFile(const std::string& path) {
  std::error_code failed;
  const uint64_t bytes = IsFile(path) ? fs::file_size(path, failed) : 0;
  if (failed || !IsFile(path)) throw std::invalid_argument("expected a regular file that can be read; check the path");
  return bytes;
}

std::string TextOfFile(const std::string& path, uint64_t most) {
  const uint64_t bytes = BytesOfFile(path);
  if (bytes > most) throw std::invalid_argument(fmt::format("it has {} bytes: expected at most {}", bytes, most));
  std::ifstream file(path, std::ios::binary);
  std::string text(bytes, '\0');
  if (!file.read(text.data(), static_cast<std::streamsize>(bytes)))
    throw std::invalid_argument("expected a file that can be read; check its permissions");
  return text;
}

/// `name` names a file of this folder and of no other; `of` says who names it.
void RequirePlainName(const std::string& name, std::string_view of) {
  if (!name.empty() && name != "." && name != ".." && name.find('/') == name.npos && PrintableLine(name) == name)
    return;
  throw std::invalid_argument(
      fmt::format("{} names \"{}\": expected the name of a file beside it", of, ShownBytes(name)));
}

struct Latest {
  std::string hash, save;  // of the index; "save-0123456789abcdef"
};

/// Three lines: the format, "HASH  SAVE/checkpoint.json", and the hash of both with the name of the file.
Latest LatestOf(const std::string& folder) {
  constexpr std::string_view kIndex = "/checkpoint.json\n";
  const std::string text = TextOfFile(folder + "/latest", kLongestLatest);
  const size_t hash = kOurFormat.size() + 1, save = hash + kHashDigits + 2,
               slash = text.find('/', std::min(save, text.size()));
  if (!text.starts_with(kOurFormat) || slash == text.npos || text.substr(slash, kIndex.size()) != kIndex)
    throw std::invalid_argument(fmt::format("latest: expected {} and the hash and name of an index", kOurFormat));
  const std::string lines = text.substr(0, slash + kIndex.size());
  if (text != lines + HashOfBytes(lines.data(), lines.size()) + "  latest\n")
    throw std::invalid_argument("latest: expected the hash of its own lines, got another: it is damaged");
  Latest latest{text.substr(hash, kHashDigits), text.substr(save, slash - save)};
  RequirePlainName(latest.save, "latest");
  return latest;
}

struct IndexedFile {
  std::string name, header_hash;
  uint64_t bytes = 0;
};

struct Index {
  int world_size = 1, stage = 0, replicas = 1, tensor = 1;
  std::vector<IndexedFile> files;
  plan::Model model;
};

Index IndexFrom(const json& value) {
  JsonFields fields(value, "checkpoint");
  JsonFields savers(fields.Any("saved_by"), fields.PathOf("saved_by"));
  Index index{savers.Int("world_size"), savers.Int("stage"), savers.Int("replicas"), 1, {}, {}};
  if (savers.Has("tensor")) index.tensor = savers.Int("tensor");
  if (index.replicas < 1 || index.tensor < 1 || index.world_size < 1 ||
      index.world_size % (int64_t{index.replicas} * index.tensor) != 0)
    throw std::invalid_argument("saved_by: expected a number of ranks that its replicas and tensor ranks divide");
  for (const json& file : fields.Array("files")) {
    JsonFields of(file, fields.PathOf("files"));
    index.files.push_back({of.Text("name"), of.Text("header_xxh3_128"), of.Unsigned("bytes")});
    RequirePlainName(index.files.back().name, "checkpoint.json");
  }
  for (const auto& [name, saved] : fields.Any("parameters").items()) {
    JsonFields of(saved, fields.PathOf("parameters." + name));
    index.model.push_back(
        {.name = name, .shape = IntegersFrom(of.Array("shape"), of.PathOf("shape")), .frozen = of.Bool("frozen")});
  }
  const std::string problem = plan::Problem({.model = index.model});
  if (!problem.empty()) throw std::invalid_argument(problem);
  return index;
}

/// Throws std::invalid_argument unless the file is the one that the index names.
SafetensorsHeader HeaderOf(const std::string& path, const IndexedFile& file) {
  if (!IsFile(path)) throw std::invalid_argument("is missing");
  const uint64_t bytes = BytesOfFile(path);
  if (bytes != file.bytes) throw std::invalid_argument(fmt::format("has {} bytes: expected {}", bytes, file.bytes));
  SafetensorsHeader header = HeaderOfSafetensors(path, kLimits);
  const std::string hash = HashOfBytes(header.bytes.data(), header.bytes.size());
  if (hash == file.header_hash) return header;
  throw std::invalid_argument(
      fmt::format("has a header with XXH3-128 {}: expected {}; it is of another save", hash, file.header_hash));
}

struct Range {
  std::string parameter, state;
  plan::Interval interval;
};

/// Parses "w1/exp_avg/3:17"; names of parameters may have slashes themselves.
Range RangeFrom(const std::string& name, int32_t shard) {
  const size_t slash = name.rfind('/'),
               state = slash == name.npos || slash == 0 ? name.npos : name.rfind('/', slash - 1);
  Range range;
  if (state != name.npos) {
    range = {name.substr(0, state), name.substr(state + 1, slash - state - 1), {.shard = shard}};
    const char* end = name.data() + name.size();
    const auto begin = std::from_chars(name.data() + slash + 1, end, range.interval.begin);
    if (begin.ec == std::errc() && begin.ptr != end && *begin.ptr == ':') {
      const auto last = std::from_chars(begin.ptr + 1, end, range.interval.end);
      if (last.ec == std::errc() && last.ptr == end) return range;
    }
  }
  throw std::invalid_argument(fmt::format("{}: expected a name such as w1/exp_avg/3:17", name));
}

class ZeroctsReader {
 public:
  explicit ZeroctsReader(const std::string& folder) : latest_(LatestOf(folder)), folder_(folder + "/" + latest_.save) {
    const std::string text = TextOfFile(folder_ + "/checkpoint.json", kLimits.bytes);
    if (HashOfBytes(text.data(), text.size()) != latest_.hash)
      throw std::invalid_argument("checkpoint.json: expected the hash that latest says, got another: it is damaged");
    index_ = IndexFrom(ParseJson(text, kLimits));
    for (int32_t t = 0; t < std::ssize(index_.model); ++t) tensors_[index_.model[t].name] = t;
  }

  Reading Read() {
    for (size_t f = 0; f < index_.files.size(); ++f) ReadFile(index_.files[f], static_cast<int32_t>(f));
    RequireSameStates();
    SetPlan();
    return std::move(reading_);
  }

 private:
  void ReadFile(const IndexedFile& file, int32_t shard) {
    try {
      AddStates(HeaderOf(folder_ + "/" + file.name, file), file, shard);
    } catch (const std::invalid_argument& wrong) {
      reading_.faults.push_back(fmt::format("file {} {}", file.name, wrong.what()));
    } catch (const UsageError& wrong) {
      reading_.faults.push_back(wrong.what());
    }
  }

  void AddStates(const SafetensorsHeader& header, const IndexedFile& file, int32_t shard) {
    for (const plan::Tensor& stored : header.tensors) {
      const Range range = RangeFrom(stored.name, shard);
      const auto tensor = tensors_.find(range.parameter);
      if (tensor == tensors_.end())
        throw std::invalid_argument(fmt::format("has {}, which the index does not know", stored.name));
      if (range.interval.end - range.interval.begin != stored.numel())
        reading_.faults.push_back(fmt::format("{} in {} has {} elements", stored.name, file.name, stored.numel()));
      states_[range.state][tensor->second].push_back(range.interval);
    }
  }

  /// The plan has one division of optimizer state, that of the master.
  void RequireSameStates() {
    for (const auto& [state, of_tensors] : states_) {
      if (state == "buffer") continue;
      for (const auto& [tensor, intervals] : states_["master"]) {
        const auto found = of_tensors.find(tensor);
        if (found != of_tensors.end() && found->second == intervals) continue;
        reading_.faults.push_back(
            fmt::format("{} of {} is divided otherwise than its master", state, index_.model[tensor].name));
      }
    }
  }

  /// Buffers are whole in one file. What no file has is another name of a tied parameter, or lost with a file.
  bool IsDivided(int32_t tensor) {
    if (states_["buffer"].contains(tensor)) return false;
    return states_["master"].contains(tensor) || (index_.model[tensor].numel() > 0 && !reading_.faults.empty());
  }

  void SetPlan() {
    plan::Plan& plan = reading_.plan;
    plan.planner = "zerocts";
    const bool whole = index_.stage == 0 && index_.tensor == 1;
    const int replicas = index_.stage == 0 ? index_.world_size / index_.tensor : index_.replicas;
    plan.mesh = whole ? HybridMesh(1, index_.world_size) : HybridMesh(replicas, index_.world_size / replicas);
    plan::Sharding sharding{whole ? std::vector<std::string>{} : std::vector<std::string>{"shard"}, {}};
    for (int32_t t = 0; t < std::ssize(index_.model); ++t) {
      if (!IsDivided(t)) continue;
      const auto index = static_cast<int32_t>(plan.model.size());
      plan.model.push_back(index_.model[t]);
      sharding.divisions.push_back({.tensors = {{index, index + 1}}, .rule = plan::Intervals{states_["master"][t]}});
    }
    plan.shardings = {std::move(sharding)};
    constexpr int kDivided = 0, kWhole = plan::Plan::kWhole;
    plan.sharding_of = {index_.stage == 3 ? kDivided : kWhole, index_.stage >= 2 ? kDivided : kWhole, kDivided};
    reading_.format = fmt::format("{}, saved by {} ranks in stage {}: {} files, {} parameters", kOurFormat,
                                  index_.world_size, index_.stage, index_.files.size(), plan.model.size());
    reading_.untold = {"parameters and gradients: taken as the stage divides them, files have optimizer states",
                       "damage of values: headers are compared with their hashes, values are not read",
                       "buffers, and names that no file has: such as are tied to another parameter are left out"};
    if (index_.tensor > 1) reading_.untold.push_back("tensor ranks: taken as ranks of the sharding group");
  }

  const Latest latest_;
  const std::string folder_;
  Index index_;
  Reading reading_;
  std::map<std::string, int32_t> tensors_;
  std::map<std::string, std::map<int32_t, std::vector<plan::Interval>>> states_;
};

}  // namespace

bool IsZerocts(const std::string& path) {
  const fs::path latest = IsFolder(path) ? fs::path(path) / "latest" : fs::path(path);
  if (latest.filename() != "latest" || !IsFile(latest)) return false;
  std::string begin(kOurName.size(), '\0');
  std::ifstream(latest, std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin == kOurName;
}

Reading ReadZerocts(const std::string& path) {
  const fs::path folder = IsFolder(path) ? fs::path(path) : fs::path(path).parent_path();
  return ZeroctsReader(folder.empty() ? "." : folder.string()).Read();
}

}  // namespace zerocts::read
