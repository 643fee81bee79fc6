#include "conformance/watch/records.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "conformance/watch/tensor_bits.hpp"
#include "reference/experiment/json_form.hpp"
#include "reference/experiment/json_text.hpp"

namespace zerocts::watch {

// Each Describe names the fields of a head; RecordFrom has read kind, rank and world by then.
void Describe(JsonForm& form, StepOf& at) { form.Fields("optimizer", at.optimizer, "step", at.step); }

namespace {

void Read(JsonForm& form, TensorBits&, StartRecord& r) {
  form.Fields("pid", r.pid, "compiled", r.compiled, "torch", r.torch, "host", r.host, "script", r.script);
}

void Read(JsonForm& form, TensorBits& bits, CollectiveRecord& r) {
  form.Fields("op", r.op, "group", r.group, "dtype", r.dtype, "ranks", r.ranks, "number", r.number, "numel", r.numel,
              "samples", r.samples, "step", r.step, "root", r.root, "reduce", r.reduce);
  const auto world = static_cast<int64_t>(r.ranks.size());
  r.sent = bits.Elements(r.samples * (r.scatters() ? world : 1), r.dtype);
  r.got = bits.Elements(r.samples * (r.gathers() ? world : 1), r.dtype);
}

void Read(JsonForm& form, TensorBits&, WaitsRecord& r) {
  form.Fields("op", r.op, "group", r.group, "ranks", r.ranks, "number", r.number, "step", r.step, "seconds", r.seconds);
}

void Read(JsonForm& form, TensorBits&, ParameterRecord& r) {
  form.Fields("parameter", r.parameter, "name", r.name, "place", r.place, "shape", r.shape, "offset", r.offset, "local",
              r.local, "ranks", r.ranks);
  if (r.shape.size() != r.offset.size() || r.shape.size() != r.local.size())
    throw std::invalid_argument("expected shape, offset and local of one length");
}

void Read(JsonForm& form, TensorBits& bits, OptimizerRecord& r) {
  Describe(form, r.at);
  form.Fields("class", r.optimizer_class, "outer", r.outer, "known", r.known, "held", r.held, "with_gradient",
              r.with_gradient, "empty", r.empty);
  r.digests = bits.Words(r.held);
}

void Read(JsonForm& form, TensorBits& bits, StepRecord& r) {
  Describe(form, r.at);
  std::vector<int64_t> parameters, held, has_gradient;
  form.Fields("hyper", r.hyper, "inner_hyper", r.inner_hyper, "counts", r.counts, "parameters", parameters, "held",
              held, "has_gradient", has_gradient, "batches", r.batches, "spent", r.spent, "total", r.total,
              "host_bytes", r.host_bytes, "device_bytes", r.device_bytes);
  if (held.size() != parameters.size() || has_gradient.size() != parameters.size())
    throw std::invalid_argument("expected parameters, held and has_gradient of one length");
  const std::vector<uint64_t> digests = bits.Words(static_cast<int64_t>(parameters.size()));
  for (size_t i = 0; i < parameters.size(); ++i)
    r.parts.push_back({parameters[i], held[i] != 0, has_gradient[i] != 0, digests[i]});
}

}  // namespace

void Describe(JsonForm& form, UpdateRecord::Group& g) {
  form.Unusual("lr", g.lr);
  form.Unusual("weight_decay", g.weight_decay);
  form.Unusual("momentum", g.momentum);
  form.Unusual("dampening", g.dampening);
  form.Unusual("eps", g.eps);
  form.Unusual("root", g.root, 1);
  form.Unusual("betas", g.betas);
  form.Unusual("corrections", g.corrections);
  form.Unusual("nesterov", g.nesterov);
}

struct UpdatePartHead {
  std::string name;
  std::vector<int64_t> at;
  int64_t group = 0, steps = 0, after = 1;  // after: tensors
  bool first = false;
};

void Describe(JsonForm& form, UpdatePartHead& p) {
  form.Fields("name", p.name, "at", p.at, "group", p.group, "steps", p.steps, "first", p.first, "after", p.after);
}

void Describe(JsonForm& form, ReplayRecord::Part& p) {
  form.Fields("name", p.name, "compared", p.compared, "differs", p.differs, "element", p.element);
}

struct GradientPartHead {
  GradientsRecord::Part part;
  int64_t micro_batches = 0, reads = 0;
  bool has_gradient = false, has_arrived = false;
};

void Describe(JsonForm& form, GradientPartHead& p) {
  GradientsRecord::Part& part = p.part;
  form.Fields("parameter", part.parameter, "at", part.at, "inside", part.inside, "dtype", part.dtype, "compute_dtype",
              part.compute_dtype, "carried", part.carried, "thrown_away", part.thrown_away, "hooked", part.hooked,
              "zeroed", part.zeroed, "micro_batches", p.micro_batches, "reads", p.reads, "has_gradient", p.has_gradient,
              "has_arrived", p.has_arrived);
}

namespace {

void Read(JsonForm& form, TensorBits& bits, UpdateRecord& r) {
  Describe(form, r.at);
  std::vector<UpdatePartHead> heads;
  form.Fields("formula", r.formula, "copies", r.copies, "groups", r.groups, "parts", heads);
  const int64_t moments = r.formula == "sgd" ? 1 : 2;
  for (const UpdateRecord::Group& g : r.groups) {
    if (r.formula != "sgd" && (g.betas.size() != 2 || g.corrections.size() != 2))
      throw std::invalid_argument("expected two betas and two corrections");
  }
  for (UpdatePartHead& head : heads) {
    if (head.group < 0 || head.group >= static_cast<int64_t>(r.groups.size()) || head.after < 1 ||
        head.after > 1 + moments)
      throw std::invalid_argument("expected a group of the record and one to three tensors after the step");
    const auto n = static_cast<int64_t>(head.at.size());
    UpdateRecord::Part part{
        .name = head.name, .at = head.at, .group = head.group, .steps = head.steps, .first = head.first};
    part.parameter = bits.Floats(n);
    part.gradient = bits.Floats(n);
    for (int64_t m = 0; m < moments; ++m) part.moments.push_back(bits.Floats(n));
    r.parts.push_back(std::move(part));
  }
  for (size_t i = 0; i < heads.size(); ++i) {
    const auto n = static_cast<int64_t>(heads[i].at.size());
    r.parts[i].new_parameter = bits.Floats(n);
    for (int64_t m = 1; m < heads[i].after; ++m) r.parts[i].new_moments.push_back(bits.Floats(n));
  }
}

void Read(JsonForm& form, TensorBits& bits, ReplayRecord& r) {
  Describe(form, r.at);
  form.Fields("class", r.optimizer_class, "parts", r.parts);
  for (ReplayRecord::Part& part : r.parts) {
    part.expected = bits.Doubles(1)[0];
    part.got = bits.Doubles(1)[0];
  }
}

void Read(JsonForm& form, TensorBits& bits, GradientsRecord& r) {
  Describe(form, r.at);
  std::vector<GradientPartHead> heads;
  form.Fields("parts", heads, "zero", r.zero, "loss_scale", r.loss_scale, "clips", r.clips, "batches", r.batches);
  for (GradientPartHead& head : heads) {
    const auto n = static_cast<int64_t>(head.part.at.size()), k = static_cast<int64_t>(head.part.inside.size());
    for (const int64_t index : head.part.inside) {
      if (index < 0 || index >= n) throw std::invalid_argument("expected indices of `at` in `inside`");
    }
    for (int64_t m = 0; m < head.micro_batches; ++m) head.part.added.push_back(bits.Doubles(n));
    for (int64_t m = 0; m < head.reads; ++m) {
      head.part.reads.push_back(bits.Doubles(n));
      head.part.held.push_back(bits.Doubles(k));
    }
    if (k > 0 && head.has_gradient) head.part.gradient = bits.Doubles(k);
    if (head.has_arrived) head.part.arrived = bits.Doubles(k);
    r.parts.push_back(std::move(head.part));
  }
}

void Read(JsonForm& form, TensorBits& bits, ClipRecord& r) {
  form.Fields("call", r.call, "step", r.step, "parameters", r.parameters, "max_norm", r.max_norm, "norm_type",
              r.norm_type, "told", r.told);
  r.squares = bits.Doubles(static_cast<int64_t>(r.parameters.size()));
}

void Read(JsonForm& form, TensorBits& bits, ReadRecord& r) {
  form.Fields("number", r.number, "step", r.step, "parameters", r.parameters);
  r.digests = bits.Words(static_cast<int64_t>(r.parameters.size()));
}

void Read(JsonForm& form, TensorBits& bits, BatchRecord& r) {
  form.Fields("number", r.number, "model", r.model, "ranks", r.ranks);
  r.digests = bits.Words(bits.left() / 8);
}

void Read(JsonForm& form, TensorBits&, LossScaleRecord& r) {
  form.Fields("scale", r.scale, "skips", r.skips, "clipped_scaled", r.clipped_scaled, "step", r.step);
}

void Read(JsonForm& form, TensorBits&, OffRecord& r) { form.Fields("reason", r.reason); }

void Read(JsonForm&, TensorBits&, EndRecord&) {}

template <typename Kind>
Record Made(const nlohmann::json& head, JsonFields& fields, Origin from, std::string_view bits) {
  Record made = Kind();
  Kind& record = std::get<Kind>(made);
  record.from = from;
  JsonForm form(fields);
  TensorBits reader(bits);
  Read(form, reader, record);
  fields.ExpectNoOthers();
  if (reader.left() != 0)
    throw std::invalid_argument(fmt::format("{} bytes are left over behind {}", reader.left(), head["kind"].dump()));
  return made;
}

using Maker = Record (*)(const nlohmann::json&, JsonFields&, Origin, std::string_view);

const std::map<std::string, Maker>& Makers() {
  static const std::map<std::string, Maker> makers = {{"start", Made<StartRecord>},
                                                      {"collective", Made<CollectiveRecord>},
                                                      {"parameter", Made<ParameterRecord>},
                                                      {"waits", Made<WaitsRecord>},
                                                      {"optimizer", Made<OptimizerRecord>},
                                                      {"step", Made<StepRecord>},
                                                      {"update", Made<UpdateRecord>},
                                                      {"replay", Made<ReplayRecord>},
                                                      {"gradients", Made<GradientsRecord>},
                                                      {"clip", Made<ClipRecord>},
                                                      {"read", Made<ReadRecord>},
                                                      {"batch", Made<BatchRecord>},
                                                      {"loss_scale", Made<LossScaleRecord>},
                                                      {"off", Made<OffRecord>},
                                                      {"end", Made<EndRecord>}};
  return makers;
}

}  // namespace

Record RecordFrom(std::string_view head, std::string_view bits) {
  try {
    const nlohmann::json json = ParseJson(head);
    JsonFields fields(json, "record");
    const std::string kind = fields.Text("kind");
    const auto maker = Makers().find(kind);
    if (maker == Makers().end()) throw std::invalid_argument("record.kind: unknown, got " + kind);
    Origin from;
    from.world = static_cast<int>(fields.Integer("world", 1, 1 << 20));
    from.rank = static_cast<int>(fields.Integer("rank", 0, from.world - 1));
    return maker->second(json, fields, from, bits);
  } catch (const std::invalid_argument& wrong) {
    throw BadRecord(wrong.what());
  }
}

}  // namespace zerocts::watch
