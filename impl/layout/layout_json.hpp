// Layouts as JSON and as files, so that a plan of somebody else's can be verified, and a plan of ours drawn.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "impl/layout/layout.hpp"

namespace zerocts::engine {

nlohmann::json ToJson(const Layout& layout);
/// Throws std::invalid_argument with a sentence for a field that is unknown, missing or of the wrong type, for what
/// Problem() says and for a promise of its plan that the layout breaks.
Layout LayoutFromJson(const nlohmann::json& value);

/// Both throw std::runtime_error with a sentence that names the file.
void SaveLayout(const Layout& layout, const std::string& path);
Layout LoadLayout(const std::string& path);

}  // namespace zerocts::engine
