#include "conformance/plans/read/torch/dcp_metadata.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "conformance/plans/read/files.hpp"
#include "conformance/plans/read/pickle/pickle_view.hpp"

namespace zerocts::read {
namespace {

constexpr std::string_view kModule = "torch.distributed.checkpoint.metadata";

std::vector<int64_t> SizesFrom(const PickleView& sizes) {
  std::vector<int64_t> values;
  for (size_t d = 0, all = sizes.length(); d < all; ++d) values.push_back(sizes[d].Size());
  return values;
}

/// properties is an object whose state is (dtype, layout, ..).
plan::Dtype DtypeFrom(const PickleView& properties) {
  const PickleView dtype = properties.State()[0];
  const auto known = plan::DtypeFrom(std::string(dtype.Name()));
  if (!known)
    throw std::invalid_argument(fmt::format("expected a dtype of {}, got {}", plan::DtypeNames(), dtype.Name()));
  return *known;
}

DcpTensor TensorFrom(std::string_view name, const PickleView& state) {
  DcpTensor tensor{.tensor = {.name = std::string(name),
                              .shape = SizesFrom(state.At("size")),
                              .dtype = DtypeFrom(state.At("properties"))},
                   .blocks = {}};
  const PickleView chunks = state.At("chunks");
  for (size_t c = 0, all = chunks.length(); c < all; ++c) {
    const PickleView chunk = chunks[c].State();
    tensor.blocks.push_back({SizesFrom(chunk.At("offsets")), SizesFrom(chunk.At("sizes"))});
  }
  return tensor;
}

DcpPlace PlaceFrom(const PickleView& index, const PickleView& info) {
  DcpPlace place{.name = std::string(index.At("fqn").Utf8()), .file = std::string(info.At("relative_path").Utf8())};
  RequirePlainName(place.file, ".metadata");
  const auto offsets = index.Find("offset");  // of tensors
  if (offsets && !offsets->IsNone()) place.offsets = SizesFrom(*offsets);
  place.begin = static_cast<uint64_t>(info.At("offset").Size());
  place.bytes = static_cast<uint64_t>(info.At("length").Size());
  return place;
}

}  // namespace

DcpMetadata DcpMetadataFrom(const Pickle& pickle) {
  const PickleView root(pickle);
  if (!root.Calls(kModule, "Metadata")) root.ThrowUnlike("torch.distributed.checkpoint.metadata.Metadata");
  DcpMetadata metadata;
  const PickleView tensors = root.State().At("state_dict_metadata"), places = root.State().At("storage_data");
  for (size_t i = 0, all = tensors.pairs(); i < all; ++i) {
    if (tensors.Of(i).Calls(kModule, "TensorStorageMetadata")) {
      metadata.tensors.push_back(TensorFrom(tensors.Key(i).Utf8(), tensors.Of(i).State()));
    } else {
      ++metadata.others;
    }
  }
  for (size_t i = 0, all = places.pairs(); i < all; ++i)
    metadata.places.push_back(PlaceFrom(places.Key(i).State(), places.Of(i).State()));
  return metadata;
}

}  // namespace zerocts::read
