// What a subject declares that it can do; parsed from the JSON of zerocts_subject.h.
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "conformance/cases/case/arrangement.hpp"
#include "conformance/cases/case/case.hpp"
#include "reference/experiment/experiment.hpp"
#include "reference/experiment/given_loss.hpp"

namespace zerocts {

/// What a subject does not cut when it shards.
enum class Granularity { kElement, kRow, kTensor };
std::string ToString(Granularity granularity);  // "element", "row", "tensor"
Granularity GranularityFromString(const std::string& name);

struct Capabilities {  // What is left out has these values.
  int min_world_size = 1, max_world_size = 1;
  bool ranks_as_threads = false;
  bool replicas = false;
  std::vector<int> tensor_parallel = {1};                    // ranks that layers can be split over
  std::vector<PartSizes> tensor_parts = {PartSizes::kEven};  // in which sizes they are
  bool experts = false;                                      // parameters of every E-th rank
  bool expert_replicas = false;                              // .. on a mesh
  std::vector<ExpertDivisor> expert_divisors = {ExpertDivisor::kWorld};

  std::vector<int> stages;
  std::vector<Offload> offload = {Offload::kNone};
  bool overlap = false;
  std::vector<std::string> plans;
  bool plan_files = false;  // "file:PATH" as a plan
  bool bucket_cap_bytes = false;

  std::vector<Precision> param_dtypes;
  bool mixed_dtypes = false, groups = false, set_group = false;
  bool frozen = false, tied = false, buffers = false;
  std::vector<std::string> models;                         // "mlp", "gpt"
  bool kv_heads = false;                                   // fewer than heads of a gpt
  bool vocab_parallel = false, sequence_parallel = false;  // what else of `models` is split

  std::vector<std::string> reduction_orders;  // "rank", "ring", "tree", "probed"; empty: order not known
  bool accumulation = false;
  std::vector<GradientSync> gradient_sync = {GradientSync::kLastMicroBatch};
  std::vector<Precision> accumulation_dtypes = {Precision::kFp32}, reduce_dtypes = {Precision::kFp32};
  bool missing_gradients = false;
  std::vector<LossShape> losses = {LossShape::kLinear};  // that gradients are given of

  std::vector<OptimizerKind> optimizers;
  bool sgd_variants = false;  // dampening, nesterov
  bool clip = false;
  std::vector<NormKind> clip_norms = {NormKind::kTwo};
  std::vector<ClipFormula> clip_formulas = {ClipFormula::kMin};
  std::vector<LossScaleKind> loss_scaling;  // kStatic, kDynamic

  std::vector<std::string> states;  // "master", "momentum", "exp_avg", "exp_avg_sq", "gradient"
  int64_t optimizer_slack_bytes = 0;
  bool memory_estimate = false, traffic = false, timeline = false;
  bool events = false;  // of `models`; by an extension
  bool checkpoint = false, checkpoint_reshard = false;
  bool checkpoint_tensor = false;      // of split layers
  bool checkpoint_in_window = false;   // also between the micro-batches of a step
  bool goes_on_after_refusal = false;  // of a micro-batch that is not the next one, or of a step before its last

  // Where a subject is not as this suite's own reference.
  std::map<OptimizerKind, OptimizerFormula> formulas;  // what is left out is our own
  std::vector<OptimizerKind> own_formulas;             // without words for theirs: judged by self parity alone
  std::vector<Precision> ordered_dtypes = {Precision::kFp32,
                                           Precision::kBf16};  // of parameters for which `reduction_orders` hold
  bool inexact_mean = false;                                   // addends are multiplied by a rounded 1 / W
  bool inexact_norm = false;                                   // squares are added and rounded in an order of its own
  bool inexact_models = false;  // its `models` add and round in an order of their own: judged by a bound, not by bits
  bool own_models = false;  // .. in an arithmetic that repeats: judged by self parity, and by a bound if inexact_models
  bool device_memory = false;  // tensors live where neither the heap nor the kernel's count of a process shows them
  Granularity granularity = Granularity::kElement;
  int min_replicas = 1;                          // with more: it runs only on a mesh
  int64_t parameters_per_unit = 0;               // whose collectives are made together; 0: all that fit into a bucket
  bool scalars = true, empty_parameters = true;  // shapes that it takes
  bool no_empty_ranks = false;                   // every rank needs a whole tensor, or elements where those are cut
  std::vector<std::string> option_keys;          // of "with_option", each once
  // Not declared: false of ranks that have no generator of inputs, so none of our models either.
  bool host_computes_models = true;
  friend bool operator==(const Capabilities&, const Capabilities&) = default;
};

/// The formula by which the subject's optimizer is judged.
OptimizerFormula FormulaOf(const Capabilities& capabilities, OptimizerKind optimizer);

/// AdamW, or the first that is declared in its place.
OptimizerKind UsualOptimizer(const Capabilities& capabilities);

/// What is declared for parameters of this precision: without orders where none holds for them.
Capabilities AtPrecision(Capabilities capabilities, Precision precision);
/// Does it declare an order that is known without a run on probe data?
bool NamesAnOrder(const Capabilities& capabilities);
/// Does it declare an order in which one rank can add as many do, `rank` or `tree` (cases/inputs/one_rank.hpp)?
bool NamesAnOrderOfOneRank(const Capabilities& capabilities);

/// Can what the optimizer, or a model that the subject computes itself, gives be judged so?
bool IsJudgedBy(Fidelity fidelity, OptimizerKind optimizer, const Capabilities& capabilities);
bool AreModelsJudgedBy(Fidelity fidelity, const Capabilities& capabilities);

/// What holds under options of the subject, key and value: the entries of "with_option" replace those beside them.
/// Throws std::invalid_argument with a sentence that names the field.
using SubjectOptionValues = std::vector<std::pair<std::string, std::string>>;
Capabilities CapabilitiesFromJson(const std::string& text, const SubjectOptionValues& options = {});
nlohmann::json ToJson(const Capabilities& capabilities);
nlohmann::json DeclaredOf(const Capabilities& capabilities);  // without what is as if left out

}  // namespace zerocts
