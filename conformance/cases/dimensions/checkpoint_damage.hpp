// The damage of a checkpoint as a part of the checkpoint's JSON.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "conformance/cases/case/checkpoint.hpp"

namespace zerocts {

class JsonFields;

void WriteDamage(const Checkpoint& checkpoint, nlohmann::json& object);
void ReadDamage(JsonFields& of_checkpoint, Checkpoint& checkpoint);

}  // namespace zerocts
