#include "conformance/plans/fuzz/planning_request.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "reference/experiment/json_dump.hpp"
#include "reference/experiment/json_readers.hpp"
#include "reference/experiment/json_text.hpp"
#include "reference/plan/forms/plan_json.hpp"
#include "reference/plan/runs/problem.hpp"

namespace zerocts {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

constexpr const char* kFormat = "zerocts-planning-request";
constexpr int kVersion = 1;

void RequireHead(JsonFields& fields) {
  const std::string format = fields.Text("format");
  if (format != kFormat) ThrowUnexpected(fields.PathOf("format"), std::string("\"") + kFormat + "\"", format);
  const int64_t version = fields.Integer("version");
  if (version != kVersion) ThrowUnexpected(fields.PathOf("version"), "1, the version that this build reads", version);
}

int AxisFrom(const json& mesh, size_t index, const char* name) {
  const std::string path = fmt::format("request.mesh[{}]", index);
  JsonFields fields(mesh.at(index), path);
  const std::string axis = fields.Text("axis");
  if (axis != name) ThrowUnexpected(fields.PathOf("axis"), std::string("\"") + name + "\"", axis);
  const auto size = static_cast<int>(fields.Integer("size", 1, plan::kMostRanks));
  fields.ExpectNoOthers();
  return size;
}

void ReadMesh(JsonFields& fields, PlanningRequest& request) {
  const json& mesh = fields.Array("mesh");
  if (mesh.size() != 2) ThrowUnexpected(fields.PathOf("mesh"), "two axes, replicate and shard", mesh);
  request.replicas = AxisFrom(mesh, 0, "replicate");
  request.shards = AxisFrom(mesh, 1, "shard");
  if (request.replicas > plan::kMostRanks / request.shards)
    ThrowUnexpected(fields.PathOf("mesh"), "at most 2^24 ranks", mesh);
}

void ReadOptions(JsonFields& fields, PlanningRequest& request) {
  const json& options = fields.Any("options");
  if (!options.is_object()) ThrowUnexpected(fields.PathOf("options"), "an object of texts", options);
  for (const auto& [name, value] : options.items()) {
    if (!value.is_string()) ThrowUnexpected(fields.PathOf("options." + name), "a text", value);
    request.options[name] = value.get<std::string>();
  }
}

}  // namespace

std::string ModelText(const plan::Model& model) { return Dumped(plan::ToJson(model)); }

std::string RequestLine(const PlanningRequest& request) { return RequestLine(request, ModelText(request.model)); }

std::string RequestLine(const PlanningRequest& request, const std::string& model) {
  ordered_json line = {
      {"format", kFormat},
      {"version", kVersion},
      {"mesh", {{{"axis", "replicate"}, {"size", request.replicas}}, {{"axis", "shard"}, {"size", request.shards}}}},
      {"stage", request.stage},
      {"rank", request.rank},
      {"bucket", request.bucket},
      {"alignment", request.alignment}};
  if (request.balance) line["balance"] = *request.balance;
  line["options"] = ordered_json::object();
  for (const auto& [name, value] : request.options) line["options"][name] = value;
  std::string text = Dumped(line);
  text.pop_back();
  return text + ",\"model\":" + model + "}";
}

PlanningRequest RequestFromText(std::string_view text) {
  const json value = ParseJson(text);
  JsonFields fields(value, "request");
  RequireHead(fields);
  PlanningRequest request;
  ReadMesh(fields, request);
  request.stage = static_cast<int>(fields.Integer("stage", 0, 3));
  request.rank = static_cast<int>(fields.Integer("rank", 0, request.replicas * request.shards - 1));
  request.bucket = fields.Integer("bucket", 0, plan::kMostElements);
  request.alignment = fields.Integer("alignment", 1, plan::kMostElements);
  if (fields.Has("balance")) request.balance = fields.Integer("balance", 0);
  ReadOptions(fields, request);
  request.model = plan::ModelFromJson(fields.Array("model"));
  fields.ExpectNoOthers();
  return request;
}

std::string ToString(const PlanningRequest& request) {
  int64_t elements = 0;
  for (const plan::Tensor& tensor : request.model) elements += tensor.numel();
  std::string text = fmt::format("{} {} of {} elements, {} {} x {} {}, stage {}", request.model.size(),
                                 request.model.size() == 1 ? "tensor" : "tensors", elements, request.shards,
                                 request.shards == 1 ? "shard" : "shards", request.replicas,
                                 request.replicas == 1 ? "replica" : "replicas", request.stage);
  if (request.rank != 0) text += fmt::format(", asked by rank {}", request.rank);
  if (request.bucket != 0) text += fmt::format(", buckets of {}", request.bucket);
  if (request.alignment != 1) text += fmt::format(", alignment {}", request.alignment);
  return text;
}

}  // namespace zerocts
