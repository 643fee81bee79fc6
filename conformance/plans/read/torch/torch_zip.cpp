#include "conformance/plans/read/torch/torch_zip.hpp"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "conformance/plans/read/files.hpp"
#include "conformance/plans/read/pickle/pickle.hpp"
#include "conformance/plans/read/torch/zip_end.hpp"
#include "reference/experiment/shown_bytes.hpp"

namespace zerocts::read {
namespace {

constexpr std::string_view kPickleMember = "data.pkl", kStorageFolder = "data/";

using Archive = std::unique_ptr<zip_t, decltype(&zip_discard)>;
using Member = std::unique_ptr<zip_file_t, decltype(&zip_fclose)>;

Archive Open(const std::string& path, const Window& window) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source =
      zip_source_file_create(path.c_str(), window.begin, static_cast<zip_int64_t>(window.bytes), &error);
  Archive archive(source ? zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error) : nullptr, &zip_discard);
  const std::string reason = archive ? "" : zip_error_strerror(&error);
  zip_error_fini(&error);
  if (archive) return archive;
  if (source) zip_source_free(source);
  throw std::invalid_argument(fmt::format("expected a zip of torch.save, libzip says: {}", reason));
}

zip_stat_t StatOf(zip_t* archive, zip_int64_t index) {
  zip_stat_t stat;
  zip_stat_init(&stat);
  if (zip_stat_index(archive, static_cast<zip_uint64_t>(index), ZIP_FL_ENC_RAW, &stat) != 0)
    throw std::invalid_argument(fmt::format("member {} of the zip cannot be looked at", index));
  const std::string name = ShownBytes(stat.name);
  if (stat.comp_method != ZIP_CM_STORE || stat.size != stat.comp_size)
    throw std::invalid_argument(
        fmt::format("member {} is compressed to {} of {} bytes: expected it as it is, as torch.save stores it", name,
                    stat.comp_size, stat.size));
  if (stat.encryption_method != ZIP_EM_NONE)
    throw std::invalid_argument(fmt::format("member {} is encrypted: expected it as it is", name));
  return stat;
}

std::string ContentsOf(zip_t* archive, const zip_stat_t& stat) {
  if (stat.size > PickleLimits{}.bytes)
    throw std::invalid_argument(
        fmt::format("data.pkl has {} bytes: expected at most {}", stat.size, PickleLimits{}.bytes));
  const Member member(zip_fopen_index(archive, stat.index, 0), &zip_fclose);
  std::string contents(stat.size, '\0');
  if (!member || zip_fread(member.get(), contents.data(), stat.size) != static_cast<zip_int64_t>(stat.size))
    throw std::invalid_argument("data.pkl cannot be read from the zip, or its checksum is wrong");
  char behind = 0;
  if (zip_fread(member.get(), &behind, 1) != 0)  // the checksum is judged at the end
    throw std::invalid_argument("data.pkl has another checksum than the zip says");
  return contents;
}

/// Behind the name of the archive, which torch takes from the file's name.
std::string_view BehindFolder(std::string_view name) {
  const size_t slash = name.find('/');
  return slash == name.npos ? std::string_view() : name.substr(slash + 1);
}

}  // namespace

TorchZip ReadTorchZip(const std::string& path) { return ReadTorchZip(path, {0, BytesOfFile(path)}); }

TorchZip ReadTorchZip(const std::string& path, const Window& window) {
  RequireModestDirectory(path, window);
  const Archive archive = Open(path, window);
  TorchZip contents;
  bool has_pickle = false;
  uint64_t bytes = 0;
  for (zip_int64_t index = 0, members = zip_get_num_entries(archive.get(), 0); index < members; ++index) {
    const zip_stat_t stat = StatOf(archive.get(), index);
    bytes += std::min<uint64_t>(stat.size, window.bytes + 1);
    if (bytes > window.bytes)
      throw std::invalid_argument(
          fmt::format("its members have more bytes than the {} of the whole: they overlap", window.bytes));
    const std::string_view name = BehindFolder(stat.name);
    if (name.starts_with(kStorageFolder)) {
      contents.storages.emplace(name.substr(kStorageFolder.size()), static_cast<int64_t>(stat.size));
    } else if (name == kPickleMember) {
      if (has_pickle) throw std::invalid_argument("it has data.pkl twice");
      has_pickle = true;
      contents.pickle = ContentsOf(archive.get(), stat);
    }
  }
  if (!has_pickle) throw std::invalid_argument("expected a member data.pkl as torch.save writes it, the zip has none");
  return contents;
}

}  // namespace zerocts::read
