// Tensor ranks, which split the layers of a model among themselves and train on the same data.
#include "conformance/abi/zerocts_subject.h"
#include "conformance/cases/case/tensor_parts.hpp"
#include "conformance/cases/dimensions/case_fields.hpp"
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/probes.hpp"
#include "conformance/cases/dimensions/text_training.hpp"

namespace zerocts {
namespace {

bool IsSplit(const Case& c) { return c.tensor > 1; }
bool IsSplitUnderZero(const Case& c) { return IsSplit(c) && c.shards() > 1 && c.stage > 0; }
bool IsSplitOnMesh(const Case& c) { return IsSplit(c) && c.replicas > 1; }
bool IsUnevenlySplit(const Case& c) { return IsSplit(c) && CutsUnevenly(c); }

bool IsSplitTiedGpt(const Case& c) {
  const GptSpec* gpt = GptOf(c);
  return IsSplit(c) && gpt && gpt->tied;
}

/// Is there a number of ranks of which `holds(world_size, tensor_ranks)`? Only layers that the subject computes itself
/// can be split.
template <typename Holds>
bool AnySplit(const RunTerms& terms, Holds holds) {
  return ComputesModels(terms.can) && HasModels(terms) && std::ranges::any_of(terms.world_sizes, [&](int size) {
           return (terms.ranks == 0 || terms.ranks == size) &&
                  std::ranges::any_of(TensorCounts(size, terms.can.tensor_parallel),
                                      [&](int count) { return holds(size, count); });
         });
}

bool HasSplit(const RunTerms& terms) {
  return AnySplit(terms, [](int, int) { return true; });
}

/// Can other tensor ranks, or ranks with whole layers, load for the same data what some have saved? The sums are in as
/// many slices as those had tensor ranks, or in twice as many.
bool HasOtherTensorRanks(const RunTerms& terms, bool whole) {
  const std::vector<int> sizes = AvailableWorldSizes(terms.world_sizes, terms.can);
  return AnySplit(terms, [&](int ranks, int tensor) {
    return std::ranges::any_of(terms.can.tensor_parallel, [&](int other) {
      return (other == 1) == whole && other != tensor && 2 * tensor % other == 0 &&
             Contains(sizes, ranks / tensor * other);
    });
  });
}

bool HasSplitUnderData(const RunTerms& terms) {
  return AnySplit(terms, [](int ranks, int tensor) { return ranks > tensor; });
}

/// "" or what the tensor ranks do not divide: each has whole heads, and whole slices of every sum. Nobody can declare
/// it.
std::string Undivided(const Case& c) {
  if (!IsSplit(c) || !c.experiment.model || SliceOrderOf(*c.experiment.model).slices % c.tensor == 0) return "";
  const GptSpec* gpt = std::get_if<GptSpec>(&*c.experiment.model);
  const std::string what = gpt && gpt->heads % c.tensor != 0      ? fmt::format("{} heads", gpt->heads)
                           : gpt && gpt->kv_heads % c.tensor != 0 ? fmt::format("{} kv_heads", gpt->kv_heads)
                                                                  : ToString(SliceOrderOf(*c.experiment.model));
  return fmt::format("{} tensor ranks for {}, which they do not divide", c.tensor, what);
}

std::string BeyondTensor(const Case& c, const Capabilities& can) {
  if (!Contains(can.tensor_parallel, c.tensor)) {
    return Beyond(fmt::format("{} tensor ranks", c.tensor), can.tensor_parallel);
  }
  if (std::string undivided = Undivided(c); !undivided.empty()) return undivided;
  return IsSplit(c) || c.tensor_parts != PartSizes::kEven ? Unlisted("tensor_parts", c.tensor_parts, can.tensor_parts)
                                                          : "";
}

std::vector<std::string> AvailableTensor(const RunTerms& terms) {
  std::vector<std::string> names;
  for (const int count : terms.can.tensor_parallel) {
    const bool available = count == 1 || AnySplit(terms, [=](int, int tensor) { return tensor == count; });
    if (available) names.push_back(NameOfValue(count));
  }
  return names;
}

/// A bound is that of sums in fp32.
SliceOrder DrawSlices(const Drawing& drawing) {
  SliceOrder order{.slices = drawing.c.tensor * drawing.draws.Between(1, 2)};
  if (!drawing.space.bounded() && drawing.draws.Percent(20)) order.rounding = Rounding::kBf16;
  return order;
}

void Split(MlpSpec& mlp, const Drawing& drawing) { mlp.slice_order = DrawSlices(drawing); }

/// Its slices divide the heads.
void Split(GptSpec& gpt, const Drawing& drawing) {
  gpt.slice_order = DrawSlices(drawing);
  gpt.heads = gpt.kv_heads = gpt.slice_order.slices;
  gpt.width = gpt.heads * drawing.draws.Between(1, 2);
}

/// Other than even ones have no slices, so no bits that are those of one process.
std::vector<PartSizes> PartsThatAreJudged(const Drawing& drawing) {
  return drawing.space.bounded() ? drawing.can.tensor_parts : Common({PartSizes::kEven}, drawing.can.tensor_parts);
}

/// An arithmetic of its own may show how much of a layer a rank has.
bool CanSplit(const Drawing& drawing) {
  const bool shows_size = drawing.space.parity() && drawing.can.own_models;
  const bool saves_too = !drawing.space.checkpoint || drawing.can.checkpoint_tensor;
  return !drawing.given() && saves_too && !shows_size && ComputesModels(drawing.can) &&
         !PartsThatAreJudged(drawing).empty();
}

/// Takes no draw where there is one choice.
PartSizes DrawParts(const Drawing& drawing) {
  const std::vector<PartSizes> sizes = PartsThatAreJudged(drawing);
  return sizes.size() == 1 ? sizes.front() : drawing.draws.Pick(sizes);
}

/// Mostly fewer than there are ranks, where that can be had: only then are the parts of tensor ranks sharded.
int DrawTensorRanks(const Drawing& drawing, std::vector<int> counts) {
  const int ranks = drawing.e.world_size;
  if (counts.size() > 1 && drawing.draws.Percent(90)) std::erase(counts, ranks);
  return drawing.draws.Pick(counts);
}

/// False where there must be tensor ranks, for the clause or for the subject, and none can be had.
bool DrawTensor(Drawing& drawing) {
  const bool only_split = drawing.space.split_layers || !Contains(drawing.can.tensor_parallel, 1);
  const std::vector<int> counts = TensorCounts(drawing.e.world_size, drawing.can.tensor_parallel);
  if (!CanSplit(drawing) || counts.empty() || !(drawing.varied || only_split)) return !only_split;
  if (!only_split && !drawing.draws.Percent(70)) return true;
  Case& c = drawing.c;
  c.tensor = DrawTensorRanks(drawing, counts);
  c.tensor_parts = DrawParts(drawing);
  drawing.e.world_size /= c.tensor;
  std::visit([&](auto& spec) { Split(spec, drawing); }, *drawing.e.model);
  drawing.e.parameters = ModelParameters(*drawing.e.model);
  return true;
}

uint32_t CodeOf(PartSizes sizes) {
  switch (sizes) {
    case PartSizes::kEven: return ZEROCTS_PARTS_EVEN;
    case PartSizes::kCeil: return ZEROCTS_PARTS_CEIL;
  }
  throw std::logic_error("PartSizes out of range");
}

void TellTensor(const Case& c, zerocts_open_args& args) {
  args.tensor = static_cast<uint32_t>(c.tensor);
  args.tensor_parts = CodeOf(c.tensor_parts);
}

/// The same training on the data ranks alone; then without slices.
void WholeLayers(Simplifying& simpler) {
  if (simpler.e.world_size >= simpler.min_world_size) {
    simpler.Try([](Case& c, Experiment&) {
      c.tensor = 1;
      c.tensor_parts = PartSizes::kEven;
    });
  }
  if (IsSplit(simpler.c) || !simpler.e.model) return;
  simpler.Try([](Case&, Experiment& e) { std::visit([](auto& spec) { spec.slice_order = {}; }, *e.model); });
}

/// As many ranks as before.
void ProbeForTensorRanks(Case& c, int tensor) {
  if (c.world_size() % tensor != 0) return;
  c.experiment.world_size = c.world_size() / tensor;
  c.tensor = tensor;
}

/// One more of each than there are tensor ranks.
GptSpec OfUndividedHeads(int tensor) {
  return {.context = 2, .layers = 1, .heads = tensor + 1, .width = tensor + 1, .slice_order = {.slices = tensor + 1}};
}

/// The ranks divide the heads, but not those of keys and values.
GptSpec OfUndividedKvHeads(int tensor) {
  GptSpec gpt = OfUndividedHeads(tensor);
  gpt.heads *= tensor;
  gpt.width *= tensor;
  return gpt;
}

MlpSpec OfUndividedSlices(int tensor) {
  return {.context = 2, .embedding = 3, .hidden = {7}, .slice_order = {.slices = tensor + 1}};
}

/// On so many tensor ranks as are declared. Only who computes the model by bits can be asked: a bound knows no slices.
UndeclaredProbe ProbeForUndivided(int tensor, const ModelSpec& model) {
  return [=](Case& c, const Capabilities& can) {
    const std::vector<std::string> orders = Common({"rank", "tree"}, can.reduction_orders);
    const bool computes = Contains(can.models, KindOf(model)) && !orders.empty();
    if (!computes || !Contains(can.tensor_parallel, tensor) || c.world_size() % tensor != 0) return;
    TrainOnText(c.experiment, model, 2);
    ProbeForTensorRanks(c, tensor);
    c.reduction_order = orders.front();
  };
}

std::vector<UndeclaredProbe> TensorProbes() {
  std::vector<UndeclaredProbe> probes = ProbeForEach<int>({1, 2, 3, 4}, ProbeForTensorRanks);
  probes.push_back(ProbeFor([](Case& c) { c.tensor_parts = PartSizes::kCeil; }));
  for (const int tensor : {2, 3, 4}) {
    probes.push_back(ProbeForUndivided(tensor, OfUndividedHeads(tensor)));
    probes.push_back(ProbeForUndivided(tensor, OfUndividedKvHeads(tensor)));
    probes.push_back(ProbeForUndivided(tensor, OfUndividedSlices(tensor)));
  }
  return probes;
}

}  // namespace

Dimension TensorDimension() {
  return {
      .name = "tensor",
      .values = {.option = "tensor",
                 .meaning = "Tensor-parallel size; 1: no tensor parallelism",
                 .of = [](const Case& c) { return NameOfValue(c.tensor); },
                 .available = AvailableTensor,
                 .keep = ListedValues(&Capabilities::tensor_parallel, [](const Case& c) { return c.tensor; }).keep},
      .form = {.fields = {NewerField(FieldOf("tensor", &Case::tensor)),
                          NewerField(FieldOf("tensor_parts", &Case::tensor_parts, PartSizesFromString))},
               .tell = TellTensor,
               .features = {{"tensor", "layers are split over two or more tensor ranks", IsSplit},
                            {"tensor_uneven", "tensor ranks have parts of different size", IsUnevenlySplit},
                            {"tensor_shards", "the parts of tensor ranks are sharded", IsSplitUnderZero},
                            {"tensor_replicas", "tensor ranks on a mesh of replicas", IsSplitOnMesh},
                            {"tensor_tied", "a tied embedding and head beside layers that are split", IsSplitTiedGpt}}},
      .declared =
          {.requirements = {{{"tensor", "tensor_uneven", "tensor_shards", "tensor_replicas", "tensor_tied",
                              "tensor_vocab", "tensor_sequence", "loaded_by_split", "loaded_by_whole"},
                             "tensor_parallel with models of its own, and ranks that it divides",
                             HasSplit},
                            {{"loaded_by_split"},
                             "two numbers of tensor ranks that the same data can have",
                             [](const RunTerms& terms) { return HasOtherTensorRanks(terms, false); }},
                            {{"loaded_by_whole"},
                             "tensor_parallel 1, and so many fewer ranks",
                             [](const RunTerms& terms) { return HasOtherTensorRanks(terms, true); }},
                            NeedsFlag({"loaded_by_split", "loaded_by_whole"}, "checkpoint_tensor",
                                      &Capabilities::checkpoint_tensor),
                            {{"tensor_shards", "tensor_replicas"}, "more ranks than tensor ranks", HasSplitUnderData},
                            {{"tensor_shards", "tensor_replicas"}, "a stage from 1 on", HasShardedStage},
                            NeedsFlag({"tensor_replicas"}, "replicas", &Capabilities::replicas),
                            NeedsValue({"one_hot", "random_gradients", "quadratic_loss", "tied"}, "tensor", "1")},
           .capabilities = {DeclaresEntry("tensor_parallel", &Capabilities::tensor_parallel, 2),
                            DeclaresEntry("tensor_parallel 1", &Capabilities::tensor_parallel, 1),
                            DeclaresFlag("checkpoint_tensor", &Capabilities::checkpoint_tensor)},
           .beyond = BeyondTensor,
           .probes = TensorProbes()},
      .drawn = {.on_request = true, .draw = DrawTensor, .simplifications = {{Simplicity::kRanks, WholeLayers}}}};
}

}  // namespace zerocts
