// What a checkpoint on disk says about who owns what.
#pragma once
#include <string>
#include <vector>

#include "reference/plan/value/plan.hpp"

namespace zerocts::read {

struct Reading {
  std::string format;  // "torch DCP, 3 files, 24 tensors"
  plan::Plan plan;
  std::vector<std::string> faults;  // what is wrong beside the plan: a file that is missing, cut off, of another save
  std::vector<std::string> untold;  // what no file of this format says
};

/// A checkpoint of our engine by its folder or its file `latest`. Throws std::invalid_argument for what cannot be read;
/// what can be read and is wrong is a fault or breaks a property of the plan.
bool IsZerocts(const std::string& path);
Reading ReadZerocts(const std::string& path);

}  // namespace zerocts::read
