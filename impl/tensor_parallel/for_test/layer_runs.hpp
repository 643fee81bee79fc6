// One layer on all ranks of a group, held against the same layer on one process, bit for bit.
#pragma once
#include <string>
#include <vector>

#include "impl/comm/communicator.hpp"
#include "reference/model/linear.hpp"

namespace zerocts::engine {

/// "row-parallel, input_is_parallel, 7 inputs, 12 outputs, slices(12), bias, bf16"
std::string NameOf(const LinearShape& shape, Precision precision);

/// Forward and backward of growing batches: outputs, gradients of input, weight and bias. Collective over the ranks of
/// `comm`, whose device is the host. Throws std::runtime_error with the first difference.
void CheckLayer(const LinearShape& shape, Precision precision, Communicator& comm, DeviceStream& stream);

/// Layers of both kinds, with both switches, of sizes that tensor ranks divide, do not divide, and outnumber.
std::vector<LinearShape> LayersToCheck();

/// The control: the layers' sums in one slice have other bits.
bool OrdersDiffer(const LinearShape& shape, Precision precision);

}  // namespace zerocts::engine
