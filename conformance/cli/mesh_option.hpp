// --mesh replicate=R,shard=S,tensor=T: a device mesh in the words of torch, in place of --ranks, --replicas and
// --tensor.
#pragma once
#include <string>

namespace CLI {
class App;
}

namespace zerocts {

/// Beside --replicas and --tensor of the command it is refused.
void AddMeshOption(CLI::App& command, std::string& mesh);

/// The texts that those options would have; `ranks` is the product of the three.
struct MeshTexts {
  std::string ranks, replicas, tensor;
};

/// A dimension that is not named has size 1. Throws UsageError for another word, and where `ranks` was given ("": it
/// was not) and is another number.
MeshTexts ReadMesh(const std::string& mesh, const std::string& ranks);

}  // namespace zerocts
