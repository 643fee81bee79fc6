// One training experiment as a value: everything that can change a bit of the result, and nothing else.
// Equal values give equal bits on every machine; the value travels as JSON (experiment_json.hpp).
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reference/experiment/experts.hpp"
#include "reference/experiment/parameter_roles.hpp"
#include "reference/model/model_spec.hpp"
#include "reference/optim/clipping.hpp"
#include "reference/optim/hyper_parameters.hpp"
#include "reference/optim/loss_scale.hpp"

namespace zerocts {

enum class NonFinite { kInfinity, kMinusInfinity, kNan };
std::string ToString(NonFinite value);  // "inf", "-inf", "nan"
NonFinite NonFiniteFromString(const std::string& name);
float ValueOf(NonFinite value);

/// A value that is not finite, planted into a given gradient: element `element` of what micro-batch `g` gives for
/// `parameter` in step `step`. Without loss scaling the step is taken: the norm is NaN; with clipping every parameter
/// becomes NaN, without clipping the element does. With loss scaling the step is skipped.
struct PlantedValue {
  int64_t step = 0, g = 0;
  int parameter = 0;
  int64_t element = 0;
  NonFinite value = NonFinite::kInfinity;
  friend bool operator==(const PlantedValue&, const PlantedValue&) = default;
};

/// Where gradients come from.
enum class GradientSource {
  kModel,        // the model trained on text
  kIndexCoded,   // exact: every element has its own small integer code; every micro-batch contributes
  kOneHot,       // exact: element i comes from exactly one micro-batch, drawn per element; all others give 0
  kPythagorean,  // exact norm: all zero but two elements, with mean 3 * scale and 4 * scale
  kUniform,      // random fp32 over many exponents: shows the order of addition
  kZero,
  kOrderProbe,  // every element of a micro-batch the same: two or three seeds show in which order an element was added
};
std::string ToString(GradientSource source);
GradientSource GradientSourceFromString(const std::string& name);
/// Sums and the mean in fp32 are exact in every order.
bool IsExact(GradientSource source);

enum class InitialValues {
  kIntegers,  // small integers, exact under SGD with powers of two
  kUniform,   // uniform in [-1, 1)
  kModel,     // the model's own initialisation (fan-in scaled matrices, zero biases)
};
std::string ToString(InitialValues initial);
InitialValues InitialValuesFromString(const std::string& name);

/// Hyper-parameters of one group from step `step` on, until the next change.
struct HyperParameterChange {
  int64_t step = 0;
  int group = 0;
  HyperParameters values;
  friend bool operator==(const HyperParameterChange&, const HyperParameterChange&) = default;
};

struct Experiment {
  // What is trained. With kModel gradients `model`, `parameters` and `experts` are as SetModel sets them.
  std::vector<ParameterSpec> parameters;
  std::optional<ModelSpec> model;
  InitialValues initial = InitialValues::kIntegers;
  int initial_exponent = 0;  // initial values are multiplied by 2^initial_exponent

  // How.
  Precision precision = Precision::kFp32;
  OptimizerKind optimizer = OptimizerKind::kSgd;
  std::vector<HyperParameters> groups = std::vector<HyperParameters>(1);  // at step 0
  std::vector<HyperParameterChange> changes;  // ascending by step; at most one per (step, group)
  float max_norm = 0.0f;                      // 0: no clipping
  float clip_epsilon = 1e-6f;
  NormKind clip_norm = NormKind::kTwo;
  ClipFormula clip_formula = ClipFormula::kMin;
  OptimizerFormula formula;  // the default is our own
  // Where sums of gradients are kept: over micro-batches, and over ranks with the mean. bf16: rounded when the sum
  // begins and after every addition, the mean after its division too. (SumsKeptIn in numerics/reduction_order.hpp)
  Precision accumulation = Precision::kFp32, reduction = Precision::kFp32;
  LossScaling loss_scaling;
  ParameterRoles roles;
  Experts experts;

  // On what data: rank r's micro-batch k has the global index g = r * micro_batches + k.
  int world_size = 1;
  int micro_batches = 1;
  int64_t steps = 1;
  GradientSource gradients = GradientSource::kIndexCoded;
  int gradient_exponent = 0;  // given gradients but kOrderProbe's are multiplied by 2^gradient_exponent
  float curvature = 0.0f;     // of the loss that given gradients come from (given_loss.hpp); 0: it is linear
  int64_t batch = 0;          // kModel: sequences per micro-batch
  std::string text;           // kModel: path of the text file
  std::string text_hash;      // kModel: XXH3-128 of its bytes, checked by each reader
  uint64_t seed = 1;
  std::vector<PlantedValue> planted;  // given gradients: values that are not finite

  friend bool operator==(const Experiment&, const Experiment&) = default;
};

/// With its parameters and experts. Expects Problem(model) == "".
void SetModel(Experiment& experiment, const ModelSpec& model);
int64_t TotalNumel(const Experiment& experiment);
/// First element of every parameter in the concatenation of all parameters, and the total at the end: [parameters + 1].
std::vector<int64_t> FlatOffsets(const Experiment& experiment);
/// The hyper-parameters that step `step` uses, [groups].
std::vector<HyperParameters> GroupsAtStep(const Experiment& experiment, int64_t step);
/// Gives every group the learning rate rates[step] at every step (optim/schedule.hpp makes such tables); replaces
/// `groups[..].lr` and `changes`.
void SetLearningRates(Experiment& experiment, std::span<const float> rates);

/// The precision of one parameter and of the gradients that it is given.
Precision PrecisionOf(const Experiment& experiment, int parameter);
/// Does the loss of step `step` depend on it, on micro-batch `g`? (ParameterRoles, Experts)
bool GivesGradient(const Experiment& experiment, int parameter, int64_t step, int64_t g);
/// Does the optimizer update it in this step? (ParameterRoles)
bool IsUpdated(const Experiment& experiment, int parameter, int64_t step);
/// The expert that micro-batch `g` goes through.
int ExpertOfMicroBatch(const Experiment& experiment, int64_t g);
/// Micro-batches of the ranks that have the parameter: how many, and the i-th of them.
int64_t MicroBatchesWith(const Experiment& experiment, int parameter);
int64_t MicroBatchWith(const Experiment& experiment, int parameter, int64_t i);
/// How many micro-batches the mean of its gradients divides by. (ExpertDivisor)
int64_t MicroBatchesOfMean(const Experiment& experiment, int parameter);
/// Are the sums and the mean of this experiment's gradients the same in every order of addition, so that any correct
/// subject has one possible result? An exact source, sums that are kept in fp32, scales by powers of two, and no sum of
/// tied names that is rounded to bf16. With a curvature gradients have as many digits as parameters: then each element
/// must come from one micro-batch and one name alone, and be divided by a power of two.
bool IsExact(const Experiment& experiment);
/// bf16 when a parameter is.
Precision NarrowestPrecision(const Experiment& experiment);
Precision AccumulationFromString(const std::string& name);
Precision ReductionFromString(const std::string& name);

/// "" when the experiment makes sense, else one sentence: which field is wrong, what was expected, what was got.
std::string Problem(const Experiment& experiment);
std::string Problem(const ModelSpec& model);

/// One sentence about the first wrong value, which begins with `field`; "" when there is none.
std::string HyperParameterProblem(const std::string& field, const HyperParameters& values);

}  // namespace zerocts
