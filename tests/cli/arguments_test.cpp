// Parsing of the command line, and what is made from the declarations of the commands.
#include "cli/arguments.hpp"
#include "cli/help.hpp"

#include <ivp/error.hpp>

#include <gtest/gtest.h>

namespace ivp::cli {

namespace {

struct run_arguments : command {
    run_arguments() : command("run", "Run a solver") {}

    text problem = word("problem", "Problem id", "a problem");
    texts rest = words("rest", "All that follow", "");
    optional_text rtol = option("--rtol", "Tolerance");
    text format = option("--format", "text, json, csv", "text");
    texts set = list("--set", "Parameter");
    optional_text slurm = option_or_alone("--slurm", "wait", "Parts");
    yes_or_no resume = flag("--resume", "Leave out what is stored", "--no-resume");
    yes_or_no dry = flag("--dry-run", "Run nothing");
};

struct example {
    tool t;
    const run_arguments* c;

    example()
    {
        t.add(make_command<run_arguments>([](const run_arguments&) { return 7; }));
        c = dynamic_cast<const run_arguments*>(&t.find("run"));
    }

    int run(std::vector<std::string> words)
    {
        words.insert(words.begin(), "run");
        return t.run(words);
    }
    std::string fault(std::vector<std::string> words)
    {
        try {
            run(std::move(words));
        } catch (const bad_request& e) {
            return e.faults().front();
        }
        return "no fault";
    }
};

} // namespace

TEST(arguments, words_and_options_find_their_places)
{
    example e;
    EXPECT_EQ(e.run({"hires", "--rtol", "1e-4", "a", "--set=k=1", "--set", "l=-2", "--slurm", "b", "--no-resume", "--dry-run"}), 7);
    EXPECT_EQ(e.c->problem, "hires");
    EXPECT_EQ(e.c->rtol, "1e-4");
    EXPECT_EQ(e.c->rest, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(e.c->set, (std::vector<std::string>{"k=1", "l=-2"}));
    EXPECT_EQ(e.c->slurm, "wait");
    EXPECT_FALSE(e.c->resume);
    EXPECT_TRUE(e.c->dry);
    EXPECT_EQ(e.c->format, "text");
}

TEST(arguments, a_value_may_begin_with_a_minus_sign)
{
    example e;
    e.run({"hires", "--rtol", "-4", "--slurm=parts=3", "--", "--odd-name"});
    EXPECT_EQ(e.c->rtol, "-4");
    EXPECT_EQ(e.c->slurm, "parts=3");
    EXPECT_EQ(e.c->rest, std::vector<std::string>{"--odd-name"});
}

TEST(arguments, faults_name_what_was_given_and_where_to_look)
{
    EXPECT_EQ(example().fault({}), "missing: a problem; see 'ivp run --help'");
    EXPECT_EQ(example().fault({"hires", "--rtol"}), "--rtol: no value given; see 'ivp run --help'");
    EXPECT_EQ(example().fault({"hires", "--rtol", "--dry-run"}), "--rtol: no value given; see 'ivp run --help'");
    EXPECT_EQ(example().fault({"hires", "--rtol", "1", "--rtol=2"}), "--rtol is given more than once; see 'ivp run --help'");
    EXPECT_EQ(example().fault({"hires", "--dry-run=yes"}), "--dry-run takes no value, 'yes' given; see 'ivp run --help'");
    EXPECT_EQ(example().fault({"hires", "--rtoll", "1"}), "unknown option '--rtoll'; see 'ivp run --help'; did you mean '--rtol'?");
    example e;
    EXPECT_THROW((void)e.t.run({}), bad_request);
    const std::vector<std::string> words{"runn"};
    try {
        (void)e.t.run(words);
        FAIL();
    } catch (const bad_request& b) {
        EXPECT_EQ(b.faults().front(), "unknown command 'runn'; see 'ivp --help'; did you mean 'run'?");
    }
}

TEST(arguments, the_choices_are_those_of_the_help)
{
    std::string s;
    const auto choices = [&s](const char* help) { return argument("--x", &s, help).choices(); };
    EXPECT_EQ(choices("text, json; default text"), (std::vector<std::string>{"text", "json"}));
    EXPECT_EQ(choices("Language: c, c++, fortran"), (std::vector<std::string>{"c", "c++", "fortran"}));
    EXPECT_EQ(choices("exact, differences (the solver's own)"), (std::vector<std::string>{"exact", "differences"}));
    EXPECT_EQ(choices("problems or solvers"), (std::vector<std::string>{"problems", "solvers"}));
    EXPECT_TRUE(choices("Problem id, see 'ivp list problems'").empty());
    EXPECT_TRUE(choices("Largest step").empty());
}

TEST(help, fits_the_width_and_shows_every_argument)
{
    const example e;
    for (const std::size_t width : {60U, 100U}) {
        const std::string text = help_text(*e.c, width);
        for (const auto& a : e.c->arguments())
            EXPECT_NE(text.find(a.is_option() ? a.name() : a.name() == "rest" ? "REST..." : "PROBLEM"), std::string::npos) << a.name();
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = text.find('\n', at);
            EXPECT_LE(end - at, width) << text.substr(at, end - at);
            at = end + 1;
        }
    }
}

TEST(help, the_manual_page_has_every_option_and_no_bare_hyphen_or_backslash)
{
    const example e;
    const std::string page = manual_page(e.t);
    EXPECT_TRUE(page.starts_with(".TH IVP 1"));
    EXPECT_NE(page.find("\\-\\-dry\\-run"), std::string::npos);
    EXPECT_NE(page.find("\\-\\-slurm[=SLURM]"), std::string::npos);
}

} // namespace ivp::cli
