#include "conformance/cli/mesh_option.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "conformance/cli/values.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/nearest.hpp"

namespace zerocts {
namespace {

constexpr uint64_t kLargestSize = 1 << 20;

}  // namespace

void AddMeshOption(CLI::App& command, std::string& mesh) {
  command
      .add_option("--mesh", mesh,
                  "Device mesh, such as replicate=2,shard=4 or shard=4,tensor=2, in place of --ranks, --replicas and "
                  "--tensor")
      ->excludes("--replicas")
      ->excludes("--tensor");
}

MeshTexts ReadMesh(const std::string& mesh, const std::string& ranks) {
  std::map<std::string, uint64_t> sizes;
  for (const std::string& word : Words(mesh)) {
    const auto [name, size] = KeyAndValue("--mesh", word);
    const std::vector<std::string> names = {"replicate", "shard", "tensor"};
    if (std::ranges::count(names, name) == 0)
      throw UsageError(
          fmt::format("--mesh: expected replicate, shard or tensor, got '{}'{}", name, DidYouMean(name, names)));
    if (!sizes.emplace(name, WholeNumber("--mesh " + name, size, 1, kLargestSize)).second)
      throw UsageError(fmt::format("--mesh: expected each dimension once, got {} twice in '{}'", name, mesh));
  }
  const auto size = [&](const char* name) { return sizes.contains(name) ? sizes.at(name) : 1; };
  const std::string product = std::to_string(size("replicate") * size("shard") * size("tensor"));
  if (!ranks.empty() && ranks != product)
    throw UsageError(
        fmt::format("--mesh: expected {} ranks in all, as --ranks says, got '{}' with {}; leave out "
                    "--ranks, or change one of them",
                    ranks, mesh, product));
  return {product, std::to_string(size("replicate")), std::to_string(size("tensor"))};
}

}  // namespace zerocts
