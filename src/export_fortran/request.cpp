#include "export_fortran/request.hpp"

#include <stdexcept>

namespace ivp::export_fortran {

std::string text_of(const request& r)
{
    std::string text = r.id + "\n" + std::string(label(r.wanted_form)) + "\n" + std::string(label(r.jacobian)) + "\n";
    for (const auto& [name, value] : r.parameters) text += name + "=" + value + "\n";
    if (text.size() + request_mark.size() >= request_size) throw bad_request("--set: the parameters of an exported problem are too long");
    return text;
}

request request_from(std::string_view text)
{
    const auto line = [&text] {
        const auto end = text.find('\n');
        const std::string_view first = text.substr(0, end);
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
        return first;
    };
    request r;
    r.id = line();
    const auto f = form_from_label(line());
    const auto j = jacobian_source_from_label(line());
    if (r.id.empty() || !f || !j) throw std::invalid_argument("this library was not written by 'ivp export'");
    r.wanted_form = *f;
    r.jacobian = *j;
    while (!text.empty()) {
        const auto pair = line();
        const auto equals = std::min(pair.find('='), pair.size());
        r.parameters.emplace(pair.substr(0, equals), pair.substr(std::min(equals + 1, pair.size())));
    }
    return r;
}

} // namespace ivp::export_fortran
