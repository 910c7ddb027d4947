#include "model/reference.hpp"
#include "base/text.hpp"

#include <ivp/problem.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace ivp {

namespace {

constexpr std::string_view short_header = "component,value,digits";
constexpr std::string_view full_header = "component,value,digits,kind";
constexpr double most_digits = 5000; // decimals of numbers far below those of a double

/// Takes what stands before the first comma away from a line.
std::string_view next_cell(std::string_view& line)
{
    const auto comma = line.find(',');
    const std::string_view cell = trimmed(line.substr(0, comma));
    line = comma == std::string_view::npos ? std::string_view{} : line.substr(comma + 1);
    return cell;
}

class reference_reader {
public:
    reference_file read(std::string_view csv)
    {
        while (!csv.empty()) {
            const auto end = csv.find('\n');
            ++line_;
            const std::string_view text = trimmed(csv.substr(0, end));
            csv = end == std::string_view::npos ? std::string_view{} : csv.substr(end + 1);
            if (text.empty()) continue;
            if (text.front() == '#')
                property(trimmed(text.substr(1)));
            else
                row(text);
        }
        if (!has_time_) fault("no line '# t: …'");
        end_table();
        result_.path = std::move(tables_);
        if (!result_.path.empty()) { // the first table is the solution at the end
            static_cast<reference_values&>(result_) = std::move(result_.path.front());
            result_.path.erase(result_.path.begin());
        }
        return std::move(result_);
    }

private:
    [[noreturn]] void fault(const std::string& what) const { throw std::invalid_argument("line " + std::to_string(line_) + ": " + what); }

    void property(std::string_view text)
    {
        const auto colon = text.find(':');
        if (colon == std::string_view::npos) fault("a '#' line must read '# key: value'");
        const std::string_view key = trimmed(text.substr(0, colon));
        const std::string value(trimmed(text.substr(colon + 1)));
        if (key == "t") {
            if (has_time_) end_table();
            table_ = {};
            table_.t = number(value);
            has_time_ = true;
            has_header_ = false;
        } else if (key == "source") {
            result_.source = value;
        } else if (key == "confirmed") {
            result_.confirmed = value;
        } else if (key == "recipe") {
            result_.recipe = value;
        } else if (key == "note") {
            result_.note += (result_.note.empty() ? "" : " ") + value;
        } else if (key == "content") {
            result_.content = value;
        } else if (key == "digits") {
            all_are_ = kind(value);
        } else {
            fault("unknown key '" + std::string(key) + "'; allowed: t, source, confirmed, recipe, note, content, digits");
        }
    }

    void row(std::string_view text)
    {
        if (!has_header_) {
            if (text != short_header && text != full_header)
                fault("the header must be '" + std::string(short_header) + "' or '" + std::string(full_header) + "'");
            has_header_ = true;
            has_kinds_ = text == full_header;
            return;
        }
        if (next_cell(text) != std::to_string(table_.value.size() + 1)) fault("components must be numbered 1, 2, 3, …");
        if (text.find(',') == std::string_view::npos) fault("three columns expected");
        table_.value.push_back(number(std::string(next_cell(text))));
        table_.digits.push_back(number(std::string(next_cell(text))).value());
        if (table_.digits.back() < 0) fault("digits must not be negative");
        if (table_.digits.back() > most_digits) fault("digits must not exceed " + to_text(most_digits));
        table_.kind.push_back(has_kinds_ ? kind(next_cell(text)) : all_are_);
    }

    void end_table()
    {
        if (table_.value.empty()) fault("no component");
        if (!tables_.empty()) {
            if (table_.value.size() != tables_.front().value.size())
                fault("the table at t = " + table_.t.text() + " has " + std::to_string(table_.value.size()) + " components, the first one " +
                      std::to_string(tables_.front().value.size()));
            if (!(table_.t.value() < tables_.front().t.value())) fault("further tables must be at times before that of the first one");
            if (tables_.size() > 1 && !(table_.t.value() > tables_.back().t.value())) fault("further tables must be in the order of time");
        }
        tables_.push_back(std::move(table_));
    }

    [[nodiscard]] digit_kind kind(std::string_view text) const
    {
        if (text == label(digit_kind::relative)) return digit_kind::relative;
        if (text == label(digit_kind::absolute)) return digit_kind::absolute;
        fault("digits must be 'relative' or 'absolute', not '" + std::string(text) + "'");
    }

    [[nodiscard]] decimal number(const std::string& text) const
    {
        if (!parse_real(text)) fault("not a number: '" + text + "'");
        return decimal(text);
    }

    reference_file result_;
    std::vector<reference_values> tables_;
    reference_values table_;
    int line_ = 0;
    digit_kind all_are_ = digit_kind::relative;
    bool has_time_ = false;
    bool has_header_ = false;
    bool has_kinds_ = false;
};

} // namespace

std::string_view label(digit_kind k) { return k == digit_kind::absolute ? "absolute" : "relative"; }

double reference_values::significant(std::size_t i) const
{
    if (kind[i] == digit_kind::relative || value[i].value() == 0) return digits[i];
    return digits[i] + std::floor(std::log10(std::abs(value[i].value()))) + 1;
}

reference_file read_reference_file(std::string_view csv) { return reference_reader().read(csv); }

std::string reference_csv(const reference_file& r)
{
    std::string text = "# t: " + r.t.text() + "\n";
    const auto line = [&text](const char* key, const std::string& value) {
        if (!value.empty()) text += std::string("# ") + key + ": " + value + "\n";
    };
    const auto table = [&text](const reference_values& v) {
        text += std::string(full_header) + "\n";
        for (std::size_t i = 0; i < v.value.size(); ++i)
            text += std::to_string(i + 1) + "," + v.value[i].text() + "," + to_text(v.digits[i]) + "," + std::string(label(v.kind[i])) + "\n";
    };
    line("source", r.source);
    line("confirmed", r.confirmed);
    line("recipe", r.recipe);
    line("note", r.note);
    line("content", r.content);
    table(r);
    for (const auto& v : r.path) {
        line("t", v.t.text());
        table(v);
    }
    return text;
}

bool is_estimated(std::string_view confirmed) { return confirmed.starts_with("estimated"); }

reference_solution read_reference(std::string_view csv)
{
    reference_file file = read_reference_file(csv);
    reference_solution r;
    r.absolute_digits = std::ranges::count(file.kind, digit_kind::relative) == 0;
    for (std::size_t i = 0; i < file.digits.size(); ++i) r.digits.push_back(r.absolute_digits ? file.digits[i] : file.significant(i));
    r.t = std::move(file.t);
    r.value = std::move(file.value);
    r.source = std::move(file.source);
    r.confirmed = std::move(file.confirmed);
    return r;
}

} // namespace ivp
