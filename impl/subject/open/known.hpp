// Structs of the ABI that grow: a writer of an older minor version knew less, and what it did not know is zero.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <stdexcept>

#include "conformance/abi/zerocts_subject.h"

namespace zerocts::engine {

/// What every writer knew: the size of a struct in version 1.0. A minor version that appends to one says it here.
template <class Args>
inline constexpr size_t kFirstSize = sizeof(Args);

/// Throws std::invalid_argument unless `args` has all that version 1.0 has.
template <class Args>
void RequireKnown(const Args* args) {
  if (!args) throw std::invalid_argument("the arguments are NULL");
  if (args->struct_size < kFirstSize<Args>) {
    throw std::invalid_argument(
        fmt::format("struct_size is {}: expected at least {}", args->struct_size, kFirstSize<Args>));
  }
}

/// A copy in which all that the writer did not know is zero.
template <class Args>
Args Known(const Args* args) {
  RequireKnown(args);
  Args known{};
  std::memcpy(&known, args, std::min(args->struct_size, sizeof known));
  return known;
}

/// Calls write(full) on a struct that has all fields, then gives the caller those that it knows.
template <class Args, class Write>
void GiveBack(Args* args, const Write& write) {
  Args full = Known(args);
  write(full);
  std::memcpy(args, &full, std::min(args->struct_size, sizeof full));
}

}  // namespace zerocts::engine
