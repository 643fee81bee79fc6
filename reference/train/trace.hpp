// The trace of a training run as NDJSON: a header with everything that can change a bit, then one record per step with
// a hash of every tensor.
#pragma once
#include <iosfwd>
#include <map>
#include <string>

#include "reference/experiment/experiment.hpp"
#include "reference/numerics/reduction_order.hpp"
#include "reference/train/trainer.hpp"

namespace zerocts {

/// Hash of each tensor after a step: "gradient/NAME", "master/NAME", "exp_avg/NAME" .., "parameter/NAME". Without what
/// a parameter does not have: a gradient when it is not updated, a state when it is a buffer or another name of one.
std::map<std::string, std::string> TensorHashes(const Experiment& experiment, const StepTrace& trace);

class TraceWriter {
 public:
  /// Writes the header: {"record":"header","format":1,"experiment":..,"order":[..],"kernels":..,"arithmetic":{..}}.
  /// `kernels`: name of the host kernels that compute. Every record is one line; `out` outlives the writer.
  TraceWriter(std::ostream& out, const Experiment& experiment, const ReductionOrder& order, const std::string& kernels);

  /// {"record":"step","step":..,"losses":[..],"mean_loss":..,"loss_scale":..,"skipped":..,"grad_norm":..,
  /// "clip_coefficient":..,"lr":[..],"hashes":{..}}; numbers are the shortest decimals that read back to the same bits,
  /// null when not finite.
  void Write(const StepTrace& trace);

 private:
  std::ostream& out_;
  const Experiment experiment_;
};

}  // namespace zerocts
