// Forward and backward of a whole model on all ranks of a group, held against one process, bit for bit.
#pragma once
#include "impl/comm/communicator.hpp"
#include "reference/model/model_spec.hpp"

namespace zerocts::engine {

/// Micro-batches of 1, 3 and 2 sequences: losses and gradients. Collective over the ranks of `comm`, whose device is
/// the host. Throws std::runtime_error with the first difference.
void CheckModel(const ModelSpec& spec, Precision precision, Communicator& comm, DeviceStream& stream);

/// What one rank holds of a micro-batch of so many sequences after its backward, in bytes. Collective.
int64_t ActivationBytes(const ModelSpec& spec, Precision precision, int64_t batch, Communicator& comm,
                        DeviceStream& stream);

}  // namespace zerocts::engine
