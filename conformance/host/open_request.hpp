// What a case asks a subject for, as the arguments of zerocts_subject.h.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "conformance/abi/zerocts_subject.h"
#include "conformance/cases/case.hpp"

namespace zerocts {

zerocts_group GroupValues(const HyperParameters& h);

/// The arguments of open but for `host` and `deadline_ms`, with the memory that they point to.
class OpenRequest {
 public:
  /// `c`, `initial` [parameters], each [numel], and `options` outlive the request. `model`: its JSON, or "" when gradients are
  /// given.
  OpenRequest(const Case& c, int rank, const std::vector<std::vector<float>>& initial,
              const std::vector<std::pair<std::string, std::string>>& options, std::string model);
  OpenRequest(const OpenRequest&) = delete;
  OpenRequest& operator=(const OpenRequest&) = delete;

  zerocts_open_args args{};

 private:
  void DescribeParameters(const std::vector<std::vector<float>>& initial);
  void DescribeLossScaling(const LossScaling& scaling);

  const Case& case_;
  const std::string model_;
  std::vector<zerocts_parameter> parameters_;
  std::vector<zerocts_group> groups_;
  std::vector<zerocts_option> options_;
  zerocts_loss_scaling loss_scaling_{};
  std::vector<const zerocts_parameter*> parameter_pointers_;
  std::vector<const zerocts_group*> group_pointers_;
  std::vector<const zerocts_option*> option_pointers_;
};

}  // namespace zerocts
