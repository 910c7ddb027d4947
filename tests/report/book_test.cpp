// The book and the diagrams, from runs made up by hand: golden texts, and that nothing but the content decides about the bytes.
#include "golden.hpp"
#include "made_up.hpp"
#include "report/book.hpp"
#include "report/diagram.hpp"

#include <gtest/gtest.h>
#include <regex>

namespace ivp {

using made_up::content;

namespace {

std::vector<run_record> records_of(const book_content& c, const std::string& problem)
{
    std::vector<run_record> records;
    for (const auto& r : c.runs)
        if (r.record.problem == problem) records.push_back(r.record);
    return records;
}

diagram plain_diagram(const book_content& c)
{
    const auto records = records_of(c, "plain");
    const auto runs = curves_of(records);
    return diagram_of(records, runs.front(), looks_of(runs), work_kind::cpu, precision_kind::mescd, reach_of(c.problems[0].problem, records));
}

/// The reference as tight runs in double precision would have it.
book_content with_estimated_reference(book_content c)
{
    reference_solution r = *c.problems[0].problem.reference();
    r.confirmed = "estimated, not proven: runs of two solvers agree";
    c.problems[0].problem = c.problems[0].problem.with_reference(r);
    return c;
}

/// Style and script have their own tests: in a browser.
std::string without_assets(std::string html)
{
    for (const auto& [open, close] : {std::pair{"<style>", "</style>"}, std::pair{"<script>\n", "</script>"}}) {
        const auto begin = html.find(open) + std::string(open).size();
        html.erase(begin, html.find(close, begin) - begin);
    }
    return html;
}

} // namespace

TEST(book, golden) { expect_golden("book.html", without_assets(book(content()))); }

TEST(book, the_same_content_gives_the_same_bytes)
{
    EXPECT_EQ(book(content()), book(content()));
    book_content other = content();
    other.runs[0].record.cpu_s *= 1.5;
    EXPECT_NE(book(other), book(content()));
}

TEST(book, nothing_foreign_becomes_markup)
{
    const std::string html = book(content());
    EXPECT_EQ(html.find("A <fast>"), std::string::npos);
    EXPECT_EQ(html.find("3 </script>"), std::string::npos);
    EXPECT_NE(html.find("3 &lt;/script&gt; &amp; more"), std::string::npos);
    EXPECT_NE(html.find("3 \\u003c/script> & more"), std::string::npos) << "in the data of the script";
}

TEST(book, loads_nothing_from_outside)
{
    const std::string html = book(content());
    for (const char* word : {"src=", "@import", "url(http", "<link", "fetch(", "XMLHttpRequest"})
        EXPECT_EQ(html.find(word), std::string::npos) << word;
}

TEST(book, every_link_leads_somewhere)
{
    const std::string html = book(content());
    const std::regex link("href=\"#([^\"]+)\"");
    for (auto m = std::sregex_iterator(html.begin(), html.end(), link); m != std::sregex_iterator(); ++m)
        EXPECT_NE(html.find("id=\"" + (*m)[1].str() + "\""), std::string::npos) << (*m)[1];
}

TEST(book, a_run_that_the_solver_refuses_has_not_failed)
{
    book_content c = content();
    const std::string before = book(c);
    EXPECT_NE(before.find("<strong>1</strong> failed"), std::string::npos);
    EXPECT_NE(before.find("2 of 9 runs failed"), std::string::npos) << "the sentence; the wrong answer is one of them";
    c.runs[4].record.outcome = outcome::unsupported;
    const std::string after = book(c);
    EXPECT_NE(after.find("<strong>0</strong> failed"), std::string::npos);
    EXPECT_NE(after.find("<strong>1</strong> not taken by the solver"), std::string::npos);
    EXPECT_NE(after.find("1 of 9 runs failed"), std::string::npos);
}

TEST(book, a_store_with_assessments_only_opens_on_them)
{
    book_content c = content();
    c.runs.clear();
    stored_assessment a;
    a.id = 7;
    a.solver = "fast";
    a.set = "nonstiff";
    a.level = 3;
    a.json =
        R"({"set":"nonstiff","groups":[{"problems":[{"name":"A1","scaled":true,"rows":[{"tol":1e-3,"outcome":"success","time_s":1e-3,"overhead_s":5e-4,"end_error":0.5}],"fit":{"end":{"c":2,"e":0.9,"residual":0.05,"values":3}}}]}]})";
    c.assessments.push_back(a);
    const std::string html = book(c);
    EXPECT_LT(html.find("id=\"assessment-fast-nonstiff-7\""), html.find("id=\"start\""));
    for (const char* words : {"<h3>Class A: single equations</h3>", "Smoothness", "<th scope=\"col\">overhead</th>", "500\u202Fµs"})
        EXPECT_NE(html.find(words), std::string::npos) << words;
}

TEST(book, an_empty_store_is_said)
{
    book_content c = content();
    c.runs.clear();
    EXPECT_NE(book(c).find("This store holds no runs"), std::string::npos);
}

TEST(book, names_the_libraries_and_warns_of_one_that_is_not_optimised)
{
    book_content c = content();
    const auto page = [&c](const std::string& id) {
        const std::string text = book(c);
        const auto from = text.find("<article class=\"page\" id=\"" + id + "\"");
        return text.substr(from, text.find("</article>", from) - from);
    };
    for (auto& r : c.runs) {
        if (r.record.solver != "alien") continue;
        r.record.solver_origin = "driver";
        r.record.library = "LIB 1.2: <file>, -O3";
        r.record.library_slowdown = 0.84;
    }
    EXPECT_NE(page("method").find("<td>LIB 1.2: &lt;file&gt;, -O3</td><td>alien</td><td class=\"r\">0.8</td>"), std::string::npos);
    EXPECT_EQ(page("method").find("class=\"warning\""), std::string::npos);
    EXPECT_EQ(page("start").find("class=\"warning\""), std::string::npos);
    for (auto& r : c.runs)
        if (r.record.solver == "alien") r.record.library_slowdown = 5.2;
    for (const char* const id : {"start", "method"}) {
        const auto at =
            page(id).find("<p class=\"warning\"><strong>Warning:</strong> the CPU times of alien are not comparable: LIB 1.2 is compiled");
        EXPECT_NE(at, std::string::npos) << id;
    }
}

TEST(book, an_assessment_has_its_page)
{
    book_content c = content();
    stored_assessment a;
    a.set = "stiff";
    a.solver = "fast";
    a.level = 4;
    a.norm = "max";
    a.command = "ivp detest stiff fast";
    a.json = R"({"groups": [{"problems": [{"id": "a", "name": "A1", "scaled": false, "rows": [
        {"tol": 0.01, "outcome": "success", "time_s": 0.5, "nfev": 54, "accepted": 12, "end_error": 0.1, "fraction_deceived": 0.25, "max_local_error": null,
         "scatter": {"total": 12, "cells": [{"estimate_class": -1, "error_class": 0, "count": 12}]}},
        {"tol": 0.0001, "outcome": "too_many_steps", "message": "a < b"}], "normalized": {"lines": [{"digits": 3, "nfev": 60}, {"digits": 4, "nfev": 90}]}}]}],
        "overall": {"by_tolerance": [{"tol": 0.01, "runs": 1, "failed": 0, "nfev": 54}]}})";
    c.assessments.push_back(a);
    a.json = "{}";
    a.id = 1;
    c.assessments.push_back(a);
    const std::string html = book(c);
    for (const char* part :
         {"id=\"assessment-fast-stiff-0\"", "A1 (unscaled)", "25.0 %", "too_many_steps", "a &lt; b", "estimate -1, error 0: 12 steps",
          "Work at equal achieved error", "Asked and achieved", "id=\"assessment-fast-stiff-1\""})
        EXPECT_NE(html.find(part), std::string::npos) << part;
}

TEST(diagram, nothing_is_drawn_beyond_the_reference)
{
    const auto c = content();
    const diagram d = plain_diagram(c);
    ASSERT_TRUE(d.limit.has_value());
    EXPECT_NEAR(*d.limit, 7.8246, 1e-3);
    const auto& last = d.curves[0].points.back();
    ASSERT_TRUE(last.has_value());
    EXPECT_DOUBLE_EQ(last->digits, *d.limit);
    EXPECT_TRUE(last->beyond);
    ASSERT_EQ(d.curves[1].failures.size(), 1U);
    EXPECT_FALSE(d.curves[1].failures[0].lied);
    EXPECT_FALSE(d.curves[1].points[1].has_value()) << "the curve is broken where a run failed";
}

TEST(diagram, the_line_joins_the_runs_that_no_other_beats_in_digits_and_work)
{
    const auto point = [](double digits, double work) { return std::optional(diagram_point{digits, work, 0, false}); };
    const auto line = [](std::vector<std::optional<diagram_point>> points) { return front_of({"", 0, std::move(points), {}}); };
    using places = std::vector<std::optional<std::size_t>>;
    EXPECT_EQ(line({}), places{});
    EXPECT_EQ(line({point(2, 1), point(4, 2), point(6, 3)}), (places{0, 1, 2}));
    EXPECT_EQ(line({point(2, 1), point(4, 9), point(6, 3)}), (places{0, 2})) << "the second has fewer digits for more work than the third";
    EXPECT_EQ(line({point(5, 1), point(4, 2), point(6, 3)}), (places{0, 2})) << "the first beats the second";
    EXPECT_EQ(line({point(6, 3), point(4, 1), point(2, 0.5)}), (places{2, 1, 0})) << "with rising digits, whatever the order of tolerances";
    EXPECT_EQ(line({point(4, 2), point(4, 1)}), (places{1})) << "equal digits: the least work";
    EXPECT_EQ(line({point(2, 1), point(4, 1)}), (places{1})) << "equal work: the most digits";
    EXPECT_EQ(line({point(2, 1), std::nullopt, point(6, 3)}), (places{0, std::nullopt, 2})) << "a failed run between them breaks the line";
    EXPECT_EQ(line({std::nullopt, point(2, 1), point(6, 3), std::nullopt}), (places{1, 2}));
}

TEST(diagram, runs_off_the_line_are_drawn_and_explained)
{
    book_content c = content();
    const auto count = [](const std::string& text, const std::string& what) {
        std::size_t n = 0;
        for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
        return n;
    };
    EXPECT_EQ(diagram_marks(plain_diagram(c)).find("beats in both"), std::string::npos) << "all are on it";
    c.runs[3].record.cpu_s = 1; // rtol 1e-6 of `fast` takes more time than 1e-8
    const auto records = records_of(c, "plain");
    const diagram d = plain_diagram(c);
    EXPECT_NE(diagram_marks(d).find("beats in both digits and work"), std::string::npos);
    EXPECT_EQ(count(diagram_svg_file(d, records), "off\""), 1U);
    EXPECT_EQ(count(diagram_tikz(d, records), "opacity=0.5"), 1U);
    const std::string gnuplot = diagram_gnuplot(d, records, "plain");
    EXPECT_EQ(count(gnuplot, "# not on the line"), 1U);
    EXPECT_EQ(count(gnuplot, "index 1"), 1U);
}

TEST(diagram, golden)
{
    const auto c = content();
    const auto records = records_of(c, "plain");
    expect_golden("diagram.svg", diagram_svg_file(plain_diagram(c), records));
    expect_golden("diagram.gp", diagram_gnuplot(plain_diagram(c), records, "plain"));
    expect_golden("diagram.tex", diagram_pgfplots(plain_diagram(c), records));
}

TEST(diagram, says_that_the_digits_of_a_reference_are_estimated)
{
    const book_content c = with_estimated_reference(content());
    const auto records = records_of(c, "plain");
    const diagram d = plain_diagram(c);
    ASSERT_TRUE(shows_limit(d));
    for (const auto& text : {diagram_svg_file(d, records), diagram_gnuplot(d, records, "x"), diagram_pgfplots(d, records)}) {
        EXPECT_NE(text.find("estimated"), std::string::npos) << text;
        EXPECT_EQ(text.find("confirmed"), std::string::npos) << text;
    }
}

TEST(book, says_that_the_digits_of_a_reference_are_estimated)
{
    const std::string html = book(with_estimated_reference(content()));
    EXPECT_NE(html.find("<p>Digits: estimated, not proven: runs of two solvers agree. Digits that are not estimated are pale.</p>"),
              std::string::npos);
    EXPECT_NE(html.find(">estimated digits</th>"), std::string::npos);
    EXPECT_NE(html.find("The reference is estimated, not proven, to 7.8 digits in this measure"), std::string::npos);
    EXPECT_NE(html.find("The digits are compared with an estimated reference. "), std::string::npos);
    EXPECT_EQ(book(content()).find("compared with an estimated reference"), std::string::npos);
    EXPECT_NE(html.find("The reference solution is estimated to this many digits only"), std::string::npos);
    EXPECT_EQ(html.find("confirmed to"), std::string::npos);
}

} // namespace ivp
