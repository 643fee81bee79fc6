#include "conformance/plans/read/pickle/pickle_view.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "conformance/plans/read/printable.hpp"

namespace zerocts::read {
namespace {

constexpr size_t kBeforeItems = 3;  // of an object: callable, arguments, state

}  // namespace

void PickleView::ThrowUnlike(std::string_view expected) const {
  throw std::invalid_argument(fmt::format("expected {} as {}, got {}", where_, expected, NameOf(kind())));
}

bool PickleView::Names(std::string_view module, std::string_view name) const {
  return kind() == Kind::kGlobal && With(Children()[0]).Text() == module && With(Children()[1]).Text() == name;
}

bool PickleView::Calls(std::string_view module, std::string_view name) const {
  return kind() == Kind::kObject && With(Children()[0]).Names(module, name);
}

int64_t PickleView::Integer() const {
  if (kind() != Kind::kInteger) ThrowUnlike("an integer of 64 bits");
  return std::get<int64_t>(value().data);
}

int64_t PickleView::Size() const {
  const int64_t size = Integer();
  if (size < 0) throw std::invalid_argument(fmt::format("expected {} as a size of 0 or more, got {}", where_, size));
  return size;
}

bool PickleView::Bool() const {
  if (kind() != Kind::kBool) ThrowUnlike("a bool");
  return std::get<bool>(value().data);
}

std::string_view PickleView::Text() const {
  if (kind() != Kind::kText) ThrowUnlike("a text");
  return std::get<std::string_view>(value().data);
}

std::string_view PickleView::Utf8() const {
  const std::string_view text = Text();
  if (!IsPrintable(text))
    throw std::invalid_argument(
        fmt::format("expected {} as a text of printable UTF-8 of at most {} bytes, got {} bytes", where_, kLongestName,
                    text.size()));
  return text;
}

std::string_view PickleView::Name() const {
  if (kind() != Kind::kGlobal) ThrowUnlike("a name");
  return With(Children()[1]).Text();
}

PickleView PickleView::Persistent() const {
  if (kind() != Kind::kPersistent) ThrowUnlike("a persistent id");
  return With(Children()[0]);
}

const std::vector<ValueId>& PickleView::Elements() const {
  if (Calls("torch", "Size")) return Argument(0).Elements();
  if (kind() != Kind::kList && kind() != Kind::kTuple) ThrowUnlike("a list or a tuple");
  return Children();
}

PickleView PickleView::operator[](size_t index) const {
  const std::vector<ValueId>& elements = Elements();
  if (index >= elements.size())
    throw std::invalid_argument(
        fmt::format("expected {} with at least {} elements, got {}", where_, index + 1, elements.size()));
  return With(elements[index]);
}

std::span<const ValueId> PickleView::KeysAndValues() const {
  if (!IsDict()) ThrowUnlike("a dict");
  return std::span(Children()).subspan(kind() == Kind::kDict ? 0 : kBeforeItems);
}

size_t PickleView::pairs() const { return KeysAndValues().size() / 2; }
PickleView PickleView::Key(size_t index) const { return With(KeysAndValues()[2 * index]); }
PickleView PickleView::Of(size_t index) const { return With(KeysAndValues()[2 * index + 1]); }

std::optional<PickleView> PickleView::Find(std::string_view key) const {
  for (size_t i = 0, all = pairs(); i < all; ++i) {
    if (Key(i).kind() == Kind::kText && Key(i).Text() == key) return Of(i);
  }
  return std::nullopt;
}

PickleView PickleView::At(std::string_view key) const {
  const std::optional<PickleView> found = Find(key);
  if (!found) throw std::invalid_argument(fmt::format("expected {} with the key {}, it has none", where_, key));
  return PickleView(*pickle_, found->id_, key);
}

PickleView PickleView::Arguments() const {
  if (kind() != Kind::kObject) ThrowUnlike("an object");
  return With(Children()[1]);
}

PickleView PickleView::State() const {
  if (kind() != Kind::kObject || Children()[2] == kNoValue) ThrowUnlike("an object with a state");
  return With(Children()[2]);
}

}  // namespace zerocts::read
