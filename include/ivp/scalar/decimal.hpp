// decimal: a constant of a problem as it was published, so that every precision reads the same number.
//
// 321.8122 is not a double. A problem stores the text; double and quad each take their nearest value of it.
#ifndef IVP_SCALAR_DECIMAL_HPP
#define IVP_SCALAR_DECIMAL_HPP

#include <ivp/scalar/quad.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace ivp {

/// Reads a real number, independent of the locale: "0.1", "1e-4", and Fortran's "1d-4". The whole text must be a finite number.
std::optional<double> parse_real(std::string_view text);

/// Shortest text that reads back as the same double, independent of the locale.
std::string to_text(double value);

class decimal {
public:
    decimal() : decimal("0") {}
    decimal(const char* text) : decimal(std::string(text)) {}           // NOLINT(google-explicit-constructor)
    explicit decimal(const std::string& text);                          ///< throws std::invalid_argument if it is not a number
    decimal(double value) : value_(value), text_(to_text(value)) {}     // NOLINT(google-explicit-constructor)
    decimal(int value) : value_(value), text_(std::to_string(value)) {} // NOLINT(google-explicit-constructor)

    [[nodiscard]] double value() const { return value_; }
    [[nodiscard]] const std::string& text() const { return text_; }

    /// The nearest number of type R (double or quad).
    template <class R>
    [[nodiscard]] R in() const;

private:
    double value_;
    std::string text_;
};

template <>
inline double decimal::in<double>() const
{
    return value_;
}
template <>
inline quad decimal::in<quad>() const
{
    return quad_from_text(text_);
}

} // namespace ivp

#endif
