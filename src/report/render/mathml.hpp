// TeX mathematics as MathML: the subset that chapters use, at run time.
#ifndef IVP_SRC_REPORT_RENDER_MATHML_HPP
#define IVP_SRC_REPORT_RENDER_MATHML_HPP

#include <string>
#include <string_view>
#include <vector>

namespace ivp {

struct mathml {
    std::string text;                 ///< one element <math>
    std::vector<std::string> unknown; ///< commands and environments that are not known; they stand in the formula as they were written
};

/// `display`: a formula on lines of its own.
mathml mathml_from_tex(std::string_view tex, bool display);

} // namespace ivp

#endif
