// The style sheet and the script of the pages, from src/report/assets/, embedded by the build.
#ifndef IVP_SRC_REPORT_ASSETS_HPP
#define IVP_SRC_REPORT_ASSETS_HPP

namespace ivp::assets {

extern const char* const book_css;
extern const char* const early_js;
extern const char* const data_js;
extern const char* const choice_js;
extern const char* const plot_js;
extern const char* const diagram_js;
extern const char* const statistics_js;
extern const char* const profile_js;
extern const char* const story_js;
extern const char* const tables_js;
extern const char* const navigation_js;
extern const char* const published_runs_csv; // data/published
extern const char* const reasons_csv;

} // namespace ivp::assets

#endif
