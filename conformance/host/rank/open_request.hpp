// What a case asks a subject for, as the arguments of zerocts_subject.h: numbers are told by the dimensions of the
// case, texts and tables here, where the memory is that they stand in.
#pragma once
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "conformance/abi/zerocts_subject.h"
#include "conformance/cases/case/case.hpp"
#include "conformance/host/memory/const_pages.hpp"
#include "conformance/host/memory/guarded_args.hpp"

namespace zerocts {

zerocts_group GroupValues(const HyperParameters& h);

/// The arguments of open but for `deadline_ms`, with the memory that they point to, which is const to the
/// subject.
class OpenRequest {
 public:
  /// `initial` [parameters], each [numel], and `page` outlive the request. `model`: its JSON, or "" when gradients are
  /// given.
  OpenRequest(const Case& c, int rank, const zerocts_host& host, const std::vector<std::span<float>>& initial,
              const std::vector<std::pair<std::string, std::string>>& options, const std::string& model,
              RankPage& page);
  OpenRequest(const OpenRequest&) = delete;
  OpenRequest& operator=(const OpenRequest&) = delete;

  GuardedArgs<zerocts_open_args> args;

 private:
  std::vector<zerocts_parameter> Parameters(const Experiment& e, const std::vector<std::span<float>>& initial);
  std::vector<zerocts_option> Options(const std::vector<std::pair<std::string, std::string>>& options);
  /// Copies `structs` and returns an array of pointers to the copies.
  template <typename Struct>
  const Struct* const* Table(const std::vector<Struct>& structs, const char* what);

  ConstPages pages_;
};

}  // namespace zerocts
