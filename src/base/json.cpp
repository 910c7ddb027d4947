#include "base/json.hpp"

namespace ivp {

json read_json(std::string_view text) { return json::parse(text); }

json json_or_discarded(std::string_view text) { return json::parse(text, nullptr, false); }

std::string json_text(const json& j, int indent) { return j.dump(indent, ' ', false, json::error_handler_t::replace); }

} // namespace ivp
