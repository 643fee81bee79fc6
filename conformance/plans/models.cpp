#include "conformance/plans/models.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "conformance/host/system/errors.hpp"
#include "conformance/plans/decoder_models.hpp"
#include "conformance/plans/safetensors.hpp"
#include "reference/experiment/json_text.hpp"
#include "reference/plan/forms/plan_json.hpp"

namespace zerocts {
namespace {

namespace fs = std::filesystem;

struct NamedSize {
  const char* name;
  GptSpec spec;
};

const NamedSize kSizes[] = {
    {"tiny", GptSize("tiny")},
    {"small", GptSize("small")},
    {"gpt2-124m", GptSize("gpt2-124m")},
    {"gpt2-350m", {.vocab = 50257, .context = 1024, .layers = 24, .heads = 16, .width = 1024}},
    {"gpt2-774m", {.vocab = 50257, .context = 1024, .layers = 36, .heads = 20, .width = 1280}},
    {"gpt2-xl", {.vocab = 50257, .context = 1024, .layers = 48, .heads = 25, .width = 1600}},
};

plan::Model ModelOfGpt(const GptSpec& spec) {
  plan::Model model;
  for (const ParameterSpec& parameter : ModelParameters(ModelSpec{spec}))
    model.push_back({.name = parameter.name, .shape = parameter.shape, .group = parameter.group});
  return model;
}

int64_t SizeOf(const std::string& word, const std::string& text) {
  int64_t size = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), size);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || size < 1 || size > 1'000'000)
    throw UsageError(fmt::format("--model {}: expected sizes from 1 to 1000000, got '{}'", word, text));
  return size;
}

/// "gpt:layers=24,width=1024,heads=16,vocab=50257,context=1024"
GptSpec GptOf(const std::string& word) {
  GptSpec spec;
  int64_t kv_heads = 0;  // as many as heads
  const std::map<std::string, int64_t*> fields = {{"layers", &spec.layers}, {"width", &spec.width},
                                                  {"heads", &spec.heads},   {"kv_heads", &kv_heads},
                                                  {"vocab", &spec.vocab},   {"context", &spec.context}};
  for (size_t begin = 4; begin <= word.size();) {
    const size_t end = std::min(word.find(',', begin), word.size()), equals = word.find('=', begin);
    const std::string name = word.substr(begin, std::min(equals, end) - begin);
    const auto field = fields.find(name);
    if (field == fields.end() || equals >= end)
      throw UsageError(
          fmt::format("--model {}: expected layers=, width=, heads=, kv_heads=, vocab= or context=, got '{}'", word,
                      word.substr(begin, end - begin)));
    *field->second = SizeOf(word, word.substr(equals + 1, end - equals - 1));
    begin = end + 1;
  }
  spec.kv_heads = kv_heads > 0 ? kv_heads : spec.heads;
  if (spec.heads % spec.kv_heads != 0 || (kv_heads > 0 && spec.width % spec.heads != 0))
    throw UsageError(
        fmt::format("--model {}: expected kv_heads that divide the heads, and heads that divide the width", word));
  if (spec.layers > 10'000) throw UsageError(fmt::format("--model {}: expected at most 10000 layers", word));
  return spec;
}

/// "350M", "1.7B", "1000003": elements. Nothing: it is no number.
std::optional<int64_t> ElementsOf(const std::string& word) {
  double number = 0;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), number);
  const std::string unit(read.ptr, word.data() + word.size());
  const std::map<std::string, double> units = {{"", 1}, {"K", 1e3}, {"M", 1e6}, {"B", 1e9}, {"T", 1e12}};
  if (read.ec != std::errc() || !units.contains(unit)) return std::nullopt;
  const double elements = number * units.at(unit);
  if (!(elements >= 1) || elements > static_cast<double>(plan::kMostElements) || elements != std::floor(elements))
    throw UsageError(fmt::format("--model {}: expected a whole number of elements from 1 to 2^56", word));
  return static_cast<int64_t>(elements);
}

plan::Model ModelOfFile(const std::string& path) {
  if (path.ends_with(".safetensors")) return ModelOfSafetensors(path);
  if (path.ends_with(".index.json")) return ModelOfIndex(path);
  const std::optional<std::string> text = JsonFileText(path);
  if (!text) throw UsageError(fmt::format("--model {}: expected a file that can be read; check the path", path));
  try {
    return plan::ModelFromJson(ParseJson(*text));
  } catch (const std::invalid_argument& wrong) {
    throw UsageError(fmt::format("--model {}: {}", path, wrong.what()));
  }
}

}  // namespace

std::string ModelChoices() {
  std::string choices;
  for (const NamedSize& size : kSizes) choices += fmt::format("{}, ", size.name);
  for (const std::string& name : DecoderNames()) choices += name + ", ";
  return choices +
         "gpt:layers=..,width=.., a number of elements such as 1.7B, or a file of shapes (.json, .safetensors, "
         ".index.json)";
}

std::optional<GptSpec> GptNamed(const std::string& word) {
  for (const NamedSize& size : kSizes) {
    if (word == size.name) return size.spec;
  }
  if (word.starts_with("gpt:")) return GptOf(word);
  return std::nullopt;
}

plan::Model ModelNamed(const std::string& word) {
  if (const std::optional<GptSpec> gpt = GptNamed(word)) return ModelOfGpt(*gpt);
  if (const std::optional<plan::Model> decoder = DecoderNamed(word)) return *decoder;
  if (fs::exists(fs::path(word))) return ModelOfFile(word);
  if (const std::optional<int64_t> elements = ElementsOf(word)) return {{.name = "parameters", .shape = {*elements}}};
  const bool is_path = word.find('/') != std::string::npos || word.ends_with(".json") || word.ends_with(".safetensors");
  throw UsageError(fmt::format("--model: expected {}, got '{}'{}", ModelChoices(), word,
                               is_path ? ", a file that does not exist" : ""));
}

}  // namespace zerocts
