#include "conformance/plans/plan_fuzz.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "conformance/host/system/errors.hpp"
#include "conformance/host/wire/worker_variables.hpp"
#include "conformance/plans/fuzz/planning_request.hpp"
#include "conformance/plans/zerocts_planner.h"
#include "reference/experiment/json_dump.hpp"

namespace zerocts {
namespace {

using PlanFunction = decltype(&zerocts_plan_v1);

PlanFunction Loaded(const std::string& path) {
  const std::string file = path.find('/') == path.npos ? "./" + path : path;
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw UsageError(fmt::format("plugin:{}: expected a library that can be loaded: {}", path, dlerror()));
  const auto function = reinterpret_cast<PlanFunction>(dlsym(library, "zerocts_plan_v1"));
  if (!function)
    throw UsageError(
        fmt::format("plugin:{}: expected the function zerocts_plan_v1 (zerocts_planner.h), got none", path));
  return function;
}

void Say(void* to, const char* text) { *static_cast<std::string*>(to) += text; }

std::string AnswerOf(PlanFunction plan, const std::string& line) {
  const PlanningRequest request = RequestFromText(line);
  std::vector<zerocts_plan_tensor> tensors;
  for (const plan::Tensor& tensor : request.model) {
    tensors.push_back({tensor.name.c_str(), NameOf(tensor.dtype), tensor.shape.data(),
                       static_cast<uint32_t>(tensor.shape.size()), tensor.group, tensor.frozen, tensor.tied_to,
                       tensor.numel()});
  }
  std::string answer;
  const zerocts_plan_args args = {.struct_size = sizeof args,
                                  .tensor_count = static_cast<uint32_t>(tensors.size()),
                                  .tensors = tensors.data(),
                                  .replicas = request.replicas,
                                  .shards = request.shards,
                                  .stage = request.stage,
                                  .rank = request.rank,
                                  .bucket = request.bucket,
                                  .alignment = request.alignment,
                                  .balance = request.balance.value_or(-1),
                                  .request = line.c_str(),
                                  .say = Say,
                                  .to = &answer};
  const int32_t status = plan(&args);
  if (status == ZEROCTS_PLAN_OK) return answer;
  const char* kind = status == ZEROCTS_PLAN_UNIMPLEMENTED ? "unimplemented" : "failed";
  return Dumped(nlohmann::json({{kind, answer}}));
}

}  // namespace

void AnswerThroughPlugin(const std::string& path) {
  const std::unique_ptr<FILE, int (*)(FILE*)> answers(fdopen(dup(STDOUT_FILENO), "w"), fclose);
  if (!answers || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) throw HarnessError("cannot set standard output aside");
  TakeVariables();
  const PlanFunction plan = Loaded(path);
  for (std::string line; std::getline(std::cin, line);) {
    const std::string answer = AnswerOf(plan, line) + "\n";
    if (fwrite(answer.data(), 1, answer.size(), answers.get()) != answer.size() || fflush(answers.get()) != 0) return;
  }
}

}  // namespace zerocts
