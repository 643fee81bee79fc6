// Reads PTX: the part of it that nvcc writes for the kernels of this project. Whatever else stands there is an error.
#include "impl/cuda_on_host/kernel.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <sstream>
#include <unordered_map>

#include "reference/plan/value/checked_int64.hpp"

namespace zerocts::engine::ptx {
namespace {

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// "a, {b, c}, [d+4]" at commas outside braces.
std::vector<std::string_view> Operands(std::string_view text) {
  std::vector<std::string_view> operands;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '{') ++depth;
    if (i < text.size() && text[i] == '}') --depth;
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      const std::string_view operand = Trimmed(text.substr(begin, i - begin));
      if (!operand.empty()) operands.push_back(operand);
      begin = i + 1;
    }
  }
  return operands;
}

int64_t BytesOfType(std::string_view type) {
  const int64_t bits = std::stoll(std::string(type.substr(2)));  // .u64
  return bits / 8;
}

/// ".align 8 .b8 name[16]" or ".u64 name"
struct Declaration {
  int64_t align = 1, bytes = 0;
  std::string name;
};

Declaration ReadDeclaration(std::string_view text) {
  std::istringstream words{std::string(text)};
  Declaration d;
  std::string word;
  int64_t element = 1;
  while (words >> word) {
    if (word == ".align") {
      words >> d.align;
    } else if (word[0] == '.') {
      element = BytesOfType(word);
    } else {
      d.name = word;
    }
  }
  d.align = std::max(d.align, element);
  d.bytes = element;
  const size_t bracket = d.name.find('[');
  if (bracket != std::string::npos) {
    d.bytes *= std::stoll(d.name.substr(bracket + 1));
    d.name.resize(bracket);
  }
  return d;
}

/// An immediate: 12, -8, 0xff, 0f3F800000, 0dBFF0000000000000.
std::optional<uint64_t> Immediate(std::string_view text) {
  const bool negative = text.starts_with('-');
  std::string_view digits = negative ? text.substr(1) : text;
  int base = 10;
  if (digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'f' || digits[1] == 'd')) {
    digits.remove_prefix(2);
    base = 16;
  }
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return negative ? ~value + 1 : value;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::map<std::string, Kernel> Read() {
    while (!text_.empty()) {
      const size_t end = std::min(text_.find('\n'), text_.size());
      std::string_view line = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      ++line_;
      line = Trimmed(line.substr(0, line.find("//")));
      if (!line.empty()) ReadLine(line);
    }
    return std::move(kernels_);
  }

 private:
  [[noreturn]] void Refuse(std::string_view what, std::string_view line) const {
    throw std::runtime_error(fmt::format("line {} of the PTX: {}: {}", line_, what, line));
  }

  void ReadLine(std::string_view line) {
    switch (scope_) {
      case Scope::kOutside: return ReadOutside(line);
      case Scope::kParameters: return ReadParameter(line);
      case Scope::kBody: return ReadBody(line);
    }
  }

  void ReadOutside(std::string_view line) {
    const size_t entry = line.find(".entry ");
    if (entry != std::string_view::npos) {
      kernel_ = {};
      names_.clear();
      labels_.clear();
      jumps_.clear();
      kernel_.same_for_all.assign(kSpecialValues, 0);
      kernel_.registers = kThreadRegister + 1;
      names_ = {{"%tid.x", {kThreadRegister, true}},
                {"%ctaid.x", {kBlock}},
                {"%ntid.x", {kThreads}},
                {"%nctaid.x", {kBlocks}}};
      kernel_.name = line.substr(entry + 7, line.find('(') - entry - 7);
      scope_ = line.ends_with(')') ? Scope::kOutside : Scope::kParameters;
    } else if (line == "{") {
      scope_ = Scope::kBody;
    } else if (!line.starts_with(".version") && !line.starts_with(".target") && !line.starts_with(".address_size") &&
               !line.starts_with(".maxntid") && !line.starts_with(".minnctapersm")) {
      Refuse("not read here", line);
    }
  }

  void ReadParameter(std::string_view line) {
    if (line == ")") {
      scope_ = Scope::kOutside;
      return;
    }
    if (!line.starts_with(".param ")) Refuse("expected a parameter", line);
    if (line.ends_with(',')) line.remove_suffix(1);
    const Declaration d = ReadDeclaration(line.substr(7));
    const int64_t offset = RoundedUp(kernel_.parameter_bytes, d.align);
    kernel_.parameters.push_back({offset, d.bytes});
    kernel_.parameter_bytes = offset + d.bytes;
    names_[d.name] = NewConstant(static_cast<uint64_t>(offset));
  }

  void ReadBody(std::string_view line) {
    if (line == "}") return EndKernel();
    if (line.starts_with("$") && line.ends_with(':')) {
      labels_[std::string(line.substr(0, line.size() - 1))] = static_cast<int>(kernel_.instructions.size());
      return;
    }
    if (!line.ends_with(';')) Refuse("expected a statement on one line", line);
    line.remove_suffix(1);
    if (line.starts_with(".pragma")) return;
    if (line.starts_with(".reg ")) return ReadRegisters(line.substr(5));
    if (line.starts_with(".shared ")) return AllotVariable(line.substr(8), kernel_.shared_bytes);
    if (line.starts_with(".local ")) return AllotVariable(line.substr(7), kernel_.local_bytes);
    ReadInstruction(line);
  }

  /// ".f32 %f<12>" or ".b64 %SP"
  void ReadRegisters(std::string_view text) {
    std::string_view name = Trimmed(text.substr(text.find('%')));
    const size_t bracket = name.find('<');
    if (bracket == std::string_view::npos) {
      names_[std::string(name)] = NewRegister();
      return;
    }
    const int count = std::stoi(std::string(name.substr(bracket + 1)));
    for (int i = 0; i < count; ++i) names_[fmt::format("{}{}", name.substr(0, bracket), i)] = NewRegister();
  }

  /// Gives a variable its offset in shared or local memory.
  void AllotVariable(std::string_view text, int64_t& bytes) {
    const Declaration d = ReadDeclaration(text);
    const int64_t offset = RoundedUp(bytes, std::max<int64_t>(d.align, 8));
    bytes = offset + d.bytes;
    names_[d.name] = NewConstant(static_cast<uint64_t>(offset));
  }

  void ReadInstruction(std::string_view line) {
    Instruction instruction{.line = line_};
    if (line.starts_with('@')) {
      instruction.guard_value = line[1] != '!';
      const size_t begin = instruction.guard_value ? 1 : 2, end = line.find_first_of(" \t");
      instruction.guard = OperandOf(line.substr(begin, end - begin), line);
      instruction.is_guarded = true;
      line = Trimmed(line.substr(end));
    }
    const size_t space = std::min(line.find_first_of(" \t"), line.size());
    const std::string opcode(line.substr(0, space));
    const std::vector<std::string_view> operands = Operands(line.substr(space));
    if (opcode == "bra" || opcode == "bra.uni") {
      instruction.kind = Instruction::Kind::kBranch;
      jumps_.emplace_back(kernel_.instructions.size(), operands.at(0));
    } else if (instruction.is_guarded) {
      Refuse("expected a branch behind a predicate", line);
    } else if (opcode == "bar.sync") {
      if (operands.size() != 1 || operands[0] != "0") Refuse("expected a barrier of all threads", line);
      instruction.kind = Instruction::Kind::kBarrier;
    } else if (opcode == "ret") {
      instruction.kind = Instruction::Kind::kReturn;
    } else {
      instruction.step = StepOf(opcode);
      if (!instruction.step) Refuse("this instruction is not known here", line);
      ReadOperands(operands, instruction, line);
    }
    kernel_.instructions.push_back(instruction);
  }

  void ReadOperands(const std::vector<std::string_view>& operands, Instruction& instruction, std::string_view line) {
    size_t count = 0;
    const auto add = [&](std::string_view name) {
      if (count == instruction.operands.size()) Refuse("too many operands", line);
      instruction.operands[count++] = OperandOf(name, line);
    };
    for (const std::string_view operand : operands) {
      const std::string_view inside = operand.substr(1, operand.size() - 2);
      if (operand[0] == '{') {
        for (const std::string_view part : Operands(inside)) add(part);
      } else if (operand[0] == '[') {
        const size_t plus = inside.find('+');
        add(inside.substr(0, plus));
        if (plus != std::string_view::npos) instruction.offset = std::stoll(std::string(inside.substr(plus + 1)));
      } else {
        add(operand);
      }
    }
  }

  Operand OperandOf(std::string_view name, std::string_view line) {
    const auto found = names_.find(std::string(name));
    if (found != names_.end()) return found->second;
    const std::optional<uint64_t> value = Immediate(name);
    if (!value) Refuse(fmt::format("no register, variable or number '{}'", name), line);
    return names_[std::string(name)] = NewConstant(*value);
  }

  Operand NewConstant(uint64_t value) {
    kernel_.same_for_all.push_back(value);
    return {.slot = static_cast<int>(kernel_.same_for_all.size()) - 1};
  }

  Operand NewRegister() { return {.slot = kernel_.registers++, .is_register = true}; }

  void EndKernel() {
    if (kernel_.instructions.empty() || kernel_.instructions.back().kind != Instruction::Kind::kReturn)
      Refuse("expected ret at the end of a kernel", kernel_.name);
    for (const auto& [index, label] : jumps_) {
      const auto found = labels_.find(std::string(label));
      if (found == labels_.end()) Refuse("no such label", label);
      kernel_.instructions[index].target = found->second;
    }
    kernels_[kernel_.name] = std::move(kernel_);
    scope_ = Scope::kOutside;
  }

  enum class Scope { kOutside, kParameters, kBody };

  std::string_view text_;
  int line_ = 0;
  Scope scope_ = Scope::kOutside;
  Kernel kernel_;
  std::unordered_map<std::string, Operand> names_;
  std::unordered_map<std::string, int> labels_;
  std::vector<std::pair<size_t, std::string_view>> jumps_;
  std::map<std::string, Kernel> kernels_;
};

}  // namespace

std::map<std::string, Kernel> KernelsOf(std::string_view text) { return Reader(text).Read(); }

}  // namespace zerocts::engine::ptx
