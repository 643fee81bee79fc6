#include "conformance/cases/draws/model_shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <sstream>

#include "conformance/cases/case/plan_file.hpp"

namespace zerocts {
namespace {

bool IsNumber(const std::string& word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
}

/// Is it in the third block of its kind or a later one: "layers.2.norm"?
bool IsInALaterBlock(const plan::Tensor& tensor) {
  std::istringstream words(tensor.name);
  for (std::string word; std::getline(words, word, '.');) {
    if (IsNumber(word) && word != "0" && word != "1") return true;
  }
  return false;
}

int64_t ScaledRows(int64_t rows, int world_size) {
  return rows < 2 * world_size ? rows : world_size + rows % world_size;
}

/// The least from two on with as much left of rows * columns over the ranks.
int64_t ScaledColumns(int64_t rows, int64_t columns, int world_size) {
  int64_t least = std::min<int64_t>(columns, 2);
  while ((rows % world_size) * (columns % world_size - least % world_size) % world_size != 0) ++least;
  return least;
}

std::vector<int64_t> ScaledShape(std::vector<int64_t> shape, int world_size) {
  if (shape.empty()) return shape;
  const int64_t columns = std::accumulate(shape.begin() + 1, shape.end(), int64_t{1}, std::multiplies<>());
  shape[0] = ScaledRows(shape[0], world_size);
  if (shape.size() > 1) shape[1] = ScaledColumns(shape[0], columns, world_size);
  for (size_t d = 2; d < shape.size(); ++d) shape[d] = 1;
  return shape;
}

}  // namespace

std::string ModelShapes::Text() const {
  return fmt::format("{} ({} of {} tensors, sizes scaled by the ranks)", name, tensors.size(), of);
}

ModelShapes ShapesOf(const std::string& name, const plan::Model& model) {
  ModelShapes shapes{.name = name, .tensors = model, .of = model.size()};
  std::erase_if(shapes.tensors,
                [](const plan::Tensor& tensor) { return tensor.tied_to >= 0 || IsInALaterBlock(tensor); });
  return shapes;
}

std::vector<ParameterSpec> ScaledFor(int world_size, const ModelShapes& shapes) {
  std::vector<ParameterSpec> parameters;
  for (const plan::Tensor& tensor : shapes.tensors)
    parameters.push_back({tensor.name, ScaledShape(tensor.shape, world_size), 0});
  return parameters;
}

std::optional<std::vector<ParameterSpec>> GivenParameters(const Constraints& constraints, int world_size) {
  if (const FilePlan* file = FileOf(constraints)) return file->parameters;
  const auto given = std::ranges::find_if(constraints, [](const Constraint& c) { return c.shapes != nullptr; });
  if (given == constraints.end()) return std::nullopt;
  return ScaledFor(world_size, *given->shapes);
}

}  // namespace zerocts
