// A table of numbers in CSV, row by row, by the names of its columns.
#ifndef IVP_TESTS_DETEST_TABLE_HPP
#define IVP_TESTS_DETEST_TABLE_HPP

#include <ivp/scalar.hpp>

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace ivp::testing_support {

class table_row {
public:
    explicit table_row(std::map<std::string, std::string> cells) : cells_(std::move(cells)) {}
    [[nodiscard]] const std::string& text(const std::string& column) const { return cells_.at(column); }
    [[nodiscard]] double real(const std::string& column) const { return parse_real(text(column)).value(); }
    [[nodiscard]] long whole(const std::string& column) const { return std::stol(text(column)); }

private:
    std::map<std::string, std::string> cells_;
};

inline std::vector<std::string> cells_of(const std::string& line)
{
    std::vector<std::string> cells;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
    return cells;
}

inline std::vector<table_row> read_table(const std::string& name)
{
    std::ifstream file(std::string(IVP_DETEST_DATA_DIR "/") + name);
    if (!file) throw std::runtime_error("cannot read " + name);
    std::string line;
    std::getline(file, line);
    const auto columns = cells_of(line);
    std::vector<table_row> rows;
    while (std::getline(file, line)) {
        const auto cells = cells_of(line);
        std::map<std::string, std::string> row;
        for (std::size_t i = 0; i < columns.size(); ++i) row[columns[i]] = i < cells.size() ? cells[i] : "";
        rows.emplace_back(std::move(row));
    }
    return rows;
}

} // namespace ivp::testing_support

#endif
