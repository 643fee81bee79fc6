// What a caller of a subject may get wrong, whatever the subject can do: a subject refuses it and never repairs it.
#pragma once
#include <string>

namespace zerocts {

enum class InvalidRequest {
  kNone,
  kOption,             // open gets an option whose key or value nobody declares (Case::invalid_option), ..
  kCode,               // .. or a code that zerocts_subject.h does not define (Case::invalid_option)
  kFewerGradients,     // accumulate gets one too few, ..
  kMoreGradients,      // .. or one too many
  kGradientOfFrozen,   // accumulate gets one of a frozen parameter
  kFewerMicroBatches,  // step comes after one micro-batch too few, ..
  kMoreMicroBatches,   // .. or accumulate once too often
};
std::string ToString(InvalidRequest invalid_request);  // "none", "option", "fewer gradients", ..
InvalidRequest InvalidRequestFromString(const std::string& name);
/// Is it made by a call after open?
bool IsAfterOpen(InvalidRequest invalid_request);

}  // namespace zerocts
