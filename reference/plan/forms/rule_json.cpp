#include "reference/plan/forms/rule_json.hpp"

#include <algorithm>
#include <limits>

#include "reference/experiment/json_readers.hpp"

namespace zerocts::plan {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

constexpr const char* kRuleNames[] = {"even", "ceil", "rows", "owners", "block-cyclic", "intervals", "affine"};

std::string PathOf(const std::string& array, size_t index) { return array + "[" + std::to_string(index) + "]"; }

double NumberFrom(const json& value, const std::string& path) {
  if (!value.is_number()) ThrowUnexpected(path, "a number", value);
  return value.get<double>();
}

Interval IntervalFrom(const json& value, const std::string& path) {
  if (!value.is_array() || value.size() < 3 || value.size() > 4)
    ThrowUnexpected(path, "[begin, end, shard] or [begin, end, shard, at]", value);
  Interval interval{IntegerFrom(value[0], path), IntegerFrom(value[1], path), Interval::kBehindTheLast,
                    Int32From(value[2], path)};
  if (value.size() == 4) interval.at = IntegerFrom(value[3], path);
  if (value.size() == 4 && interval.at < 0) ThrowUnexpected(path, "a place of 0 or more in the shard", value[3]);
  return interval;
}

/// [offset, [strides]]
void ReadView(JsonFields& fields, const std::string& name, int64_t& offset, std::vector<int64_t>& strides) {
  const json& view = fields.Array(name);
  if (view.size() != 2 || !view[1].is_array()) ThrowUnexpected(fields.PathOf(name), "[offset, [strides]]", view);
  offset = IntegerFrom(view[0], fields.PathOf(name));
  strides = IntegersFrom(view[1], fields.PathOf(name));
}

}  // namespace

int32_t Int32From(const json& value, const std::string& path) {
  const int64_t integer = IntegerFrom(value, path);
  if (integer < std::numeric_limits<int32_t>::min() || integer > std::numeric_limits<int32_t>::max())
    ThrowUnexpected(path, "an integer of 32 bits", value);
  return static_cast<int32_t>(integer);
}

std::vector<int32_t> Int32sFrom(const json& array, const std::string& path) {
  std::vector<int32_t> integers;
  for (const json& value : array) integers.push_back(Int32From(value, PathOf(path, integers.size())));
  return integers;
}

AffinePiece AffinePieceFrom(const json& value, const std::string& path) {
  JsonFields fields(value, path);
  AffinePiece piece;
  if (fields.Has("shard")) piece.shard = fields.Int("shard");
  piece.shape = IntegersFrom(fields.Array("shape"), fields.PathOf("shape"));
  ReadView(fields, "source", piece.source_offset, piece.source_strides);
  ReadView(fields, "dest", piece.dest_offset, piece.dest_strides);
  piece.locations = Int32sFrom(fields.Array("locations"), fields.PathOf("locations"));
  std::sort(piece.locations.begin(), piece.locations.end());
  if (fields.Has("scale")) piece.scale = NumberFrom(fields.Any("scale"), fields.PathOf("scale"));
  fields.ExpectNoOthers();
  return piece;
}

ordered_json ToJson(const AffinePiece& piece) {
  ordered_json object = {{"shard", piece.shard},
                         {"shape", piece.shape},
                         {"source", {piece.source_offset, piece.source_strides}},
                         {"dest", {piece.dest_offset, piece.dest_strides}},
                         {"locations", piece.locations}};
  if (piece.scale != 1) object["scale"] = piece.scale;
  return object;
}

namespace {

int64_t PartFrom(JsonFields& fields) { return fields.Has("part") ? fields.Integer("part", 1) : 0; }

Rule AffineFrom(JsonFields& fields) {
  Affine affine{ItemsFrom<AffinePiece>(fields, "pieces", AffinePieceFrom), {}};
  if (fields.Has("shard_numel"))
    affine.shard_numel = IntegersFrom(fields.Array("shard_numel"), fields.PathOf("shard_numel"));
  return affine;
}

ordered_json ToJson(const Interval& i) {
  ordered_json array = {i.begin, i.end, i.shard};
  if (i.at != Interval::kBehindTheLast) array.push_back(i.at);
  return array;
}

template <typename Item>
ordered_json ListOf(const std::vector<Item>& items) {
  ordered_json array = ordered_json::array();
  for (const Item& item : items) array.push_back(ToJson(item));
  return array;
}

struct RuleFields {
  ordered_json& object;
  void operator()(const Even&) const {}
  void operator()(const Ceil& rule) const { AddPart(rule.part); }
  void operator()(const Rows& rule) const {
    object["dimension"] = rule.dimension;
    AddPart(rule.part);
  }
  void operator()(const Owners& rule) const { object["owners"] = rule.owners; }
  void operator()(const BlockCyclic& rule) const { object["block"] = rule.block; }
  void operator()(const Intervals& rule) const { object["intervals"] = ListOf(rule.intervals); }
  void operator()(const Affine& rule) const {
    object["pieces"] = ListOf(rule.pieces);
    if (!rule.shard_numel.empty()) object["shard_numel"] = rule.shard_numel;
  }
  void AddPart(int64_t part) const {
    if (part > 0) object["part"] = part;
  }
};

}  // namespace

Rule RuleFrom(JsonFields& fields) {
  const std::string name = fields.Text("rule");
  if (name == "even") return Even{};
  if (name == "ceil") return Ceil{PartFrom(fields)};
  if (name == "rows") return Rows{fields.Has("dimension") ? fields.Int("dimension") : 0, PartFrom(fields)};
  if (name == "owners") return Owners{Int32sFrom(fields.Array("owners"), fields.PathOf("owners"))};
  if (name == "block-cyclic") return BlockCyclic{fields.Integer("block", 1)};
  if (name == "intervals") return Intervals{ItemsFrom<Interval>(fields, "intervals", IntervalFrom)};
  if (name == "affine") return AffineFrom(fields);
  ThrowUnexpected(fields.PathOf("rule"), "even, ceil, rows, owners, block-cyclic, intervals or affine", name);
}

void AddRule(const Rule& rule, ordered_json& object) {
  object["rule"] = kRuleNames[rule.index()];
  std::visit(RuleFields{object}, rule);
}

}  // namespace zerocts::plan
