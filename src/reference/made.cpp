#include "derive.hpp"

#include <ivp/problem.hpp>
#include <ivp/record.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace ivp {

namespace {

constexpr auto folder = "ivp-references";

} // namespace

std::string made_reference_path(const problem& p)
{
    std::string name = full_name(p.id(), p.info().origin); // a text is not the problem of the catalog with its name
    for (const auto& [parameter, value] : p.parameters().changed()) name += "," + parameter + "=" + value;
    return (std::filesystem::path(folder) / (name + ".csv")).string();
}

void keep_made_reference(const problem& p, const reference_file& r)
{
    const std::filesystem::path path = made_reference_path(p);
    std::error_code failed;
    std::filesystem::create_directories(path.parent_path(), failed);
    const std::filesystem::path partial = path.string() + ".part";
    std::ofstream out(partial);
    out << reference_csv(r);
    out.close();
    if (out) std::filesystem::rename(partial, path, failed);
    if (!out || failed) throw bad_request("cannot write '" + path.string() + "'");
}

problem with_made_reference(problem p)
{
    if (p.reference() || !p.has_quad()) return p;
    const std::string path = made_reference_path(p);
    std::ifstream in(path);
    if (!in) return p;
    std::ostringstream text;
    text << in.rdbuf();
    try {
        reference_solution r = read_reference(text.str());
        if (static_cast<int>(r.value.size()) != p.n() || r.t.value() != p.info().tend.value())
            throw std::invalid_argument("it is not of this problem");
        return p.with_reference(std::move(r));
    } catch (const std::invalid_argument& e) {
        throw bad_request("'" + path + "': " + e.what() + "; 'ivp reference … --make' writes it again");
    }
}

} // namespace ivp
