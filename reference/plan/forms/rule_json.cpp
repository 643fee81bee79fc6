#include "reference/plan/forms/rule_json.hpp"

#include <algorithm>
#include <limits>

namespace zerocts::plan {

using nlohmann::json;
using nlohmann::ordered_json;

int32_t Int32From(const json& value, const std::string& path) {
  const int64_t integer = IntegerFrom(value, path);
  if (integer < std::numeric_limits<int32_t>::min() || integer > std::numeric_limits<int32_t>::max())
    ThrowUnexpected(path, "an integer of 32 bits", value);
  return static_cast<int32_t>(integer);
}

void WriteJson(ordered_json& value, const Interval& i) {
  value = {i.begin, i.end, i.shard};
  if (i.at != Interval::kBehindTheLast) value.push_back(i.at);
}

void ReadJson(const json& value, const std::string& path, Interval& interval) {
  if (!value.is_array() || value.size() < 3 || value.size() > 4)
    ThrowUnexpected(path, "[begin, end, shard] or [begin, end, shard, at]", value);
  interval = {IntegerFrom(value[0], path), IntegerFrom(value[1], path), Interval::kBehindTheLast,
              Int32From(value[2], path)};
  if (value.size() == 4) interval.at = IntegerFrom(value[3], path);
  if (value.size() == 4 && interval.at < 0) ThrowUnexpected(path, "an offset of 0 or more in the shard", value[3]);
}

/// [offset, [strides]]
struct View {
  int64_t& offset;
  std::vector<int64_t>& strides;
};

void WriteJson(ordered_json& value, const View& view) { value = {view.offset, view.strides}; }

void ReadJson(const json& value, const std::string& path, View& view) {
  if (ExpectArray(value, path).size() != 2 || !value[1].is_array()) ThrowUnexpected(path, "[offset, [strides]]", value);
  view.offset = IntegerFrom(value[0], path);
  view.strides = IntegersFrom(value[1], path);
}

void Describe(OrderedJsonForm& form, AffinePiece& piece) {
  View source{piece.source_offset, piece.source_strides}, dest{piece.dest_offset, piece.dest_strides};
  form.Newer("shard", piece.shard);
  form.Fields("shape", piece.shape, "source", source, "dest", dest, "locations", piece.locations);
  if (form.read()) std::ranges::sort(piece.locations);
  form.Unusual("scale", piece.scale, 1.0);
}

namespace {

void DescribePart(OrderedJsonForm& form, int64_t& part) { form.Unusual("part", part, 0, Bounds{1}); }

}  // namespace

void Describe(OrderedJsonForm&, Even&) {}

void Describe(OrderedJsonForm& form, Ceil& rule) { DescribePart(form, rule.part); }

void Describe(OrderedJsonForm& form, Rows& rule) {
  form.Newer("dimension", rule.dimension);
  DescribePart(form, rule.part);
}

void Describe(OrderedJsonForm& form, Owners& rule) { form.Field("owners", rule.owners); }

void Describe(OrderedJsonForm& form, BlockCyclic& rule) { form.Field("block", rule.block, Bounds{1}); }

void Describe(OrderedJsonForm& form, Intervals& rule) { form.Field("intervals", rule.intervals); }

void Describe(OrderedJsonForm& form, Affine& rule) {
  form.Field("pieces", rule.pieces);
  form.Unusual("shard_numel", rule.shard_numel);
}

namespace {

struct RuleName {
  const char* name;
  Rule rule;
};
const RuleName kRules[] = {{"even", Even{}},
                           {"ceil", Ceil{}},
                           {"rows", Rows{}},
                           {"owners", Owners{}},
                           {"block-cyclic", BlockCyclic{}},
                           {"intervals", Intervals{}},
                           {"affine", Affine{}}};  // in the order of Rule

}  // namespace

void DescribeRule(OrderedJsonForm& form, Rule& rule) {
  std::string name = kRules[rule.index()].name;
  form.Field("rule", name);
  if (form.read()) {
    const auto known = std::ranges::find(kRules, name, &RuleName::name);
    form.Expect("rule", known != std::end(kRules), "even, ceil, rows, owners, block-cyclic, intervals or affine");
    rule = known->rule;
  }
  std::visit([&](auto& known) { Describe(form, known); }, rule);
}

}  // namespace zerocts::plan
