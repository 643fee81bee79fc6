// What the witness in a rank sends: records, each a head in JSON and the bits of tensors behind it. Their form is
// described here and in README.md; the sender is conformance/adapters/zerocts_watch.
#pragma once
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

namespace zerocts::watch {

/// Who sent it: `world` ranks were in the process group by then.
struct Origin {
  int rank = 0, world = 1;
};

/// One optimizer's step: both are counted from 0, per rank, in the order of the script.
struct StepOf {
  int64_t optimizer = 0, step = 0;
  friend auto operator<=>(const StepOf&, const StepOf&) = default;
};

/// An element as the collective had it; `value` is what its dtype makes of the bits.
struct Element {
  uint64_t bits = 0;
  double value = 0;
};

struct StartRecord {
  Origin from;
  int64_t pid = 0;
  bool compiled = false;  // the operators of zerocts watch prepare are there
  std::string torch, host, script;
};

/// Sampled: of each chunk the same positions on all ranks. `number` counts the collectives of the group.
struct CollectiveRecord {
  Origin from;
  std::string op, group, dtype;
  std::vector<int> ranks;
  int64_t number = 0, numel = 0, samples = 0, step = 0;  // samples: of a chunk; step: that comes next
  std::optional<int> root;                               // of a broadcast, as a rank of the group
  std::string reduce;                                    // "sum", "avg", ..; empty where it is not known, or none
  std::vector<Element> sent, got;

  bool gathers() const { return op.find("allgather") != std::string::npos; }
  bool scatters() const { return op.find("reduce_scatter") != std::string::npos; }
};

/// A rank that has been in a collective for long.
struct WaitsRecord {
  Origin from;
  std::string op, group;
  std::vector<int> ranks;
  int64_t number = 0, step = 0;
  double seconds = 0;
};

/// Where the local part of a parameter lies. place: plain, replica, dtensor, flat, partition, zero3, unknown.
struct ParameterRecord {
  Origin from;
  int64_t parameter = 0;
  std::string name, place;
  std::vector<int64_t> shape, offset, local;
  std::optional<std::vector<int>> ranks;  // whose gradients are reduced

  /// What is equal on all ranks that hold a copy of this part.
  using Part = std::tuple<std::string, std::vector<int64_t>, std::vector<int64_t>>;  // name, offset, local shape
  Part part() const { return {name, offset, local}; }
  bool is_sharded() const { return place == "dtensor" || place == "flat" || place == "partition"; }
  bool is_placed() const { return place != "unknown" && place != "zero3"; }
};

/// An optimizer that makes its first step.
struct OptimizerRecord {
  Origin from;
  StepOf at;
  std::string optimizer_class;
  bool outer = true;                               // no other optimizer's step called it
  int64_t known = 0, held = 0, with_gradient = 0;  // parameters: of followed models, all, that have a gradient
  bool empty = true;                               // it has no state, and would keep one
  std::vector<uint64_t> digests;                   // of what it holds
};

/// After a step: digests of the parameters that the optimizer holds, and of those that nobody holds.
struct StepRecord {
  struct Part {
    int64_t parameter = 0;
    bool held = false, has_gradient = false;
    uint64_t digest = 0;
  };
  Origin from;
  StepOf at;
  std::vector<std::vector<std::string>> hyper;        // of each group: "lr 0.001", ..
  std::vector<std::vector<std::string>> inner_hyper;  // of the optimizer by which it steps, if that is another one
  std::vector<int64_t> counts;                        // that the optimizer has in its state
  std::vector<Part> parts;
  int64_t batches = 0;
  double spent = 0, total = 0;  // seconds of CPU since the record before: of the witness, and of the process
  int64_t host_bytes = 0, device_bytes = 0;  // held; of the device: 0 where there is none
};

/// Elements of parameters around a step of SGD, Adam or AdamW; all fp32.
struct UpdateRecord {
  struct Group {  // as Python has them
    double lr = 0, weight_decay = 0, momentum = 0, dampening = 0, eps = 0, root = 1;
    std::vector<double> betas, corrections;  // corrections: 1 - beta^t; root: the square root of the second
    bool nesterov = false;
  };
  struct Part {
    std::string name;
    std::vector<int64_t> at;
    int64_t group = 0, steps = 0;                 // steps: that its state counts, before; 0: it counts none
    bool first = false;                           // SGD: the buffer begins
    std::vector<float> parameter, gradient;       // before
    std::vector<std::vector<float>> moments;      // before; zeros where there are none
    std::vector<float> new_parameter;             // after
    std::vector<std::vector<float>> new_moments;  // after; none where the optimizer keeps none
  };
  Origin from;
  StepOf at;
  std::string formula;  // sgd, adam, adamw
  bool copies = false;  // of the model's parameters are stepped, in their place
  std::vector<Group> groups;
  std::vector<Part> parts;
};

/// The same of any other class, which the witness called on copies.
struct ReplayRecord {
  struct Part {
    std::string name;
    int64_t compared = 0, element = 0;  // element: the first that differs
    bool differs = false;
    double expected = 0, got = 0;
  };
  Origin from;
  StepOf at;
  std::string optimizer_class;
  std::vector<Part> parts;
};

/// Before a step: the way of sampled gradients from each backward to the optimizer.
struct GradientsRecord {
  struct Part {
    int64_t parameter = 0;
    std::vector<int64_t> at;                 // positions in the whole parameter
    std::vector<std::vector<double>> added;  // by each backward of the window
    std::vector<std::vector<double>> reads;  // what the forward of each had read, of a sharded parameter
    std::vector<int64_t> inside;             // indices into `at` that this rank owns
    std::vector<std::vector<double>> held;   // of those: what it held when each was read
    std::vector<double> gradient, arrived;   // of those: what the step is given; what was there at the end of backward
    std::string dtype, compute_dtype;        // in which gradients are reduced, and in which backward makes them
    bool carried = false;                    // the window began with a gradient that was not zero
    bool thrown_away = false;                // what backwards had added before was gone when the next one added
    bool hooked = false;                     // DDP has a communication hook of the user
    int64_t zeroed = 0;                      // backwards before the last call of zero_grad in the window
  };
  Origin from;
  StepOf at;
  double loss_scale = 1;
  bool zero = false;           // every element of what the step is given here
  int64_t batches = 0;         // with which its models were called so far
  std::vector<int64_t> clips;  // calls that clipped some of its gradients
  std::vector<Part> parts;
};

/// A call of clip_grad_norm_; `call` counts them.
struct ClipRecord {
  Origin from;
  int64_t call = 0, step = 0;
  std::vector<int64_t> parameters;            // -1: one that is not followed
  std::vector<double> squares;                // of the local part of its gradient
  std::optional<double> max_norm, norm_type;  // none: infinite
  std::optional<double> told;                 // what the call returned; none: a DTensor, or not finite
};

/// Digests before the first forward after a step.
struct ReadRecord {
  Origin from;
  int64_t number = 0;  // steps of all optimizers before it
  int64_t step = 0;
  std::vector<int64_t> parameters;
  std::vector<uint64_t> digests;
};

struct BatchRecord {
  Origin from;
  int64_t model = 0, number = 0;          // number: of the batches of this model
  std::optional<std::vector<int>> ranks;  // among which batches differ
  std::vector<uint64_t> digests;
};

struct LossScaleRecord {
  Origin from;
  int64_t step = 0;
  double scale = 1;
  bool skips = false, clipped_scaled = false;  // skips: a step; clipped_scaled: before gradients were unscaled
};

/// The witness met an error of its own and is off.
struct OffRecord {
  Origin from;
  std::string reason;
};

/// The rank's Python ended in order.
struct EndRecord {
  Origin from;
};

using Record = std::variant<StartRecord, CollectiveRecord, WaitsRecord, ParameterRecord, OptimizerRecord, StepRecord,
                            UpdateRecord, ReplayRecord, GradientsRecord, ClipRecord, ReadRecord, BatchRecord,
                            LossScaleRecord, OffRecord, EndRecord>;

inline int RankOf(const Record& record) {
  return std::visit([](const auto& r) { return r.from.rank; }, record);
}

struct BadRecord : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws BadRecord with one sentence.
Record RecordFrom(std::string_view head, std::string_view bits);

}  // namespace zerocts::watch
