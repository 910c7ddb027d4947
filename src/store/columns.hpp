// Values of a record as columns of the store: numbers as they are, what is not finite as NULL, arrays and objects as JSON.
#ifndef IVP_SRC_STORE_COLUMNS_HPP
#define IVP_SRC_STORE_COLUMNS_HPP

#include "base/text.hpp"
#include "model/limits.hpp"
#include "sqlite.hpp"

#include <ivp/error.hpp>
#include <ivp/record.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ivp::columns {

std::string to_text(const std::vector<double>& values);
std::string to_text(const std::map<std::string, double>& values);
std::string to_text(const std::map<std::string, std::string>& values);
std::string to_text(const std::vector<std::string>& values);
void from_text(std::string_view text, std::vector<double>& values);
void from_text(std::string_view text, std::map<std::string, double>& values);
void from_text(std::string_view text, std::map<std::string, std::string>& values);
void from_text(std::string_view text, std::vector<std::string>& values);

template <class T>
void write(sqlite::statement& s, int index, const T& v)
{
    if constexpr (std::is_unsigned_v<T>) {
        if (v > limits::most_counted)
            throw bad_request("a count of " + std::to_string(v) + " cannot be stored; allowed: 0 to " + std::to_string(limits::most_counted));
        s.bind(index, static_cast<std::int64_t>(v));
    } else if constexpr (std::is_integral_v<T>) {
        s.bind(index, static_cast<std::int64_t>(v));
    } else if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::string>) {
        s.bind(index, v);
    } else if constexpr (std::is_same_v<T, std::optional<double>>) {
        v ? s.bind(index, *v) : s.bind_null(index);
    } else if constexpr (std::is_same_v<T, outcome>) {
        s.bind(index, label(v));
    } else {
        s.bind(index, to_text(v));
    }
}

/// What tables, diagrams and messages repeat of every run.
inline bool is_label(std::string_view column) { return column == "cpu" || column == "os" || column == "host" || column == "campaign"; }

inline void expect_label(std::string_view text)
{
    if (text.size() > limits::longest_label)
        throw std::invalid_argument(std::to_string(text.size()) + " bytes given; allowed: at most " + std::to_string(limits::longest_label));
}

/// Throws bad_request, which names the column, where one of them is too long to be stored.
template <class... Others>
void expect_labels(std::string_view column, std::string_view text, const Others&... others)
{
    try {
        expect_label(text);
    } catch (const std::invalid_argument& e) {
        throw bad_request(std::string(column) + ": " + e.what());
    }
    if constexpr (sizeof...(others) > 0) expect_labels(others...);
}

/// A number that must be there, and be one.
inline double finite(const sqlite::statement& s, int column)
{
    const double v = s.real(column);
    if (!s.is_integer(column) && !s.is_real(column)) throw std::invalid_argument("not a number");
    if (!std::isfinite(v)) throw std::out_of_range(std::to_string(v) + " is not finite");
    return v;
}

template <class T>
void read(const sqlite::statement& s, int column, T& v)
{
    if constexpr (std::is_integral_v<T>) {
        const std::int64_t given = s.integer(column);
        const bool counted = !std::is_unsigned_v<T> || std::cmp_less_equal(given, limits::most_counted);
        if (given < 0 || !std::in_range<T>(given) || !counted)
            throw std::out_of_range(std::to_string(given) + " is out of range"); // all of them count
        v = static_cast<T>(given);
    } else if constexpr (std::is_same_v<T, double>) {
        v = s.is_null(column) ? s.real(column) : finite(s, column); // what is not finite is written as NULL
    } else if constexpr (std::is_same_v<T, std::string>) {
        v = s.text(column);
    } else if constexpr (std::is_same_v<T, std::optional<double>>) {
        v = s.is_null(column) ? std::optional<double>() : finite(s, column);
    } else if constexpr (std::is_same_v<T, outcome>) {
        const auto known = outcome_from_label(s.text(column));
        if (!known) throw std::invalid_argument("unknown outcome '" + plain_line(s.text(column), 60) + "'");
        v = *known;
    } else {
        from_text(s.text(column), v);
    }
}

/// The same of the column of this name.
template <class T>
void read(const sqlite::statement& s, int column, std::string_view name, T& v)
{
    read(s, column, v);
    if constexpr (std::is_same_v<T, std::string>) {
        if (is_label(name)) expect_label(v);
    }
}

/// One number where all components have the same tolerance, as in the record.
inline void write_tolerance(sqlite::statement& s, int index, const std::vector<double>& v)
{
    v.size() == 1 ? s.bind(index, v[0]) : write(s, index, v);
}
inline void read_tolerance(const sqlite::statement& s, int column, std::vector<double>& v)
{
    if (!s.is_text(column)) {
        v = {finite(s, column)};
        return;
    }
    read(s, column, v);
    if (v.empty() || !std::ranges::all_of(v, [](double x) { return std::isfinite(x); }))
        throw std::invalid_argument("not an array of finite numbers: " + plain_line(s.text(column), 80));
}

} // namespace ivp::columns

#endif
