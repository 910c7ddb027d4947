#include <ivp/model/problem.hpp>

#include <stdexcept>
#include <string>

namespace ivp {

namespace {

std::string_view trimmed(std::string_view s)
{
    const auto first = s.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return s.substr(first, s.find_last_not_of(" \t\r") - first + 1);
}

class reference_reader {
public:
    reference_solution read(std::string_view csv)
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
        if (result_.value.empty()) fault("no component");
        return std::move(result_);
    }

private:
    [[noreturn]] void fault(const std::string& what) const
    {
        throw std::invalid_argument("reference.csv, line " + std::to_string(line_) + ": " + what);
    }

    void property(std::string_view text)
    {
        const auto colon = text.find(':');
        if (colon == std::string_view::npos) fault("a '#' line must read '# key: value'");
        const std::string_view key = trimmed(text.substr(0, colon));
        const std::string value(trimmed(text.substr(colon + 1)));
        if (key == "t") {
            result_.t = number(value);
            has_time_ = true;
        } else if (key == "source") {
            result_.source = value;
        } else if (key == "confirmed") {
            result_.confirmed = value;
        } else if (key == "digits") {
            if (value != "relative" && value != "absolute") fault("digits must be 'relative' or 'absolute', not '" + value + "'");
            result_.absolute_digits = value == "absolute";
        } else {
            fault("unknown key '" + std::string(key) + "'; allowed: t, source, confirmed, digits");
        }
    }

    void row(std::string_view text)
    {
        if (!has_header_) {
            if (text != "component,value,digits") fault("the header must be 'component,value,digits'");
            has_header_ = true;
            return;
        }
        const auto first = text.find(',');
        const auto second = first == std::string_view::npos ? first : text.find(',', first + 1);
        if (second == std::string_view::npos) fault("three columns expected");
        if (text.substr(0, first) != std::to_string(result_.value.size() + 1)) fault("components must be numbered 1, 2, 3, …");
        result_.value.push_back(number(std::string(text.substr(first + 1, second - first - 1))));
        result_.digits.push_back(number(std::string(text.substr(second + 1))).value());
        if (result_.digits.back() < 0) fault("digits must not be negative");
    }

    [[nodiscard]] decimal number(const std::string& text) const
    {
        if (!parse_real(text)) fault("not a number: '" + text + "'");
        return decimal(text);
    }

    reference_solution result_;
    int line_ = 0;
    bool has_time_ = false;
    bool has_header_ = false;
};

} // namespace

reference_solution read_reference(std::string_view csv) { return reference_reader().read(csv); }

} // namespace ivp
