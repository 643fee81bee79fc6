// What whoever drives a subject may get wrong, whatever the subject can do: it is to be refused, never put right.
#pragma once
#include <string>

namespace zerocts {

enum class InvalidRequest {
  kNone,
  kOption,             // open gets an option whose key or value nobody declares (Case::invalid_option)
  kFewerGradients,     // accumulate gets one too few, ..
  kMoreGradients,      // .. or one too many
  kGradientOfFrozen,   // accumulate gets one of a frozen parameter
  kFewerMicroBatches,  // step comes after one micro-batch too few, ..
  kMoreMicroBatches,   // .. or accumulate once too often
};
std::string ToString(InvalidRequest invalid_request);  // "none", "option", "fewer gradients", ..
InvalidRequest InvalidRequestFromString(const std::string& name);

}  // namespace zerocts
