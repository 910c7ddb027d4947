// Fortran source as text: heads, arguments and lines in both forms, and the format that a file is in.
#include "drivers/fortran/compiler_messages.hpp"
#include "drivers/fortran/format.hpp"

#include <ivp/error.hpp>

#include <gtest/gtest.h>

namespace ivp::fortran {
namespace {

std::vector<std::string> faults_of(const std::string& text)
{
    try {
        (void)recognised("x.f", outline_of(text, source_form::fixed));
    } catch (const bad_request& e) {
        return e.faults();
    }
    return {};
}

TEST(FortranSource, HeadsOfFixedForm)
{
    const auto o = outline_of("C     subroutine comment(a)\n"
                              "*     subroutine comment(b)\n"
                              "      SUB ROUTINE Prob (A, B,\n"
                              "     +                  c)\n"
                              "      x = 'subroutine text(q)' ! subroutine remark(a)\n"
                              "      end\n"
                              "\n"
                              "      double precision function g(x)\n"
                              "      integer*4 function pidate()\n"
                              "      character*(*) function name(i)\n"
                              "      entry second(u,v)\n"
                              "      real functions\n"
                              "      program = 3\n"
                              "      subroutine bare\n"
                              "      include 'Some File.inc'\n"
                              "      end subroutine prob\n"
                              "      call subroutine(a)\n"
                              "      subroutine far(a                                               ,b,c)\n",
                              source_form::fixed);
    std::vector<std::string> seen;
    for (const auto& p : o.subprograms) seen.push_back(p.name + "/" + std::to_string(p.arguments.size()) + "@" + std::to_string(p.line));
    EXPECT_EQ(seen, (std::vector<std::string>{"prob/3@3", "g/1@8", "pidate/0@9", "name/1@10", "second/2@11", "bare/0@14", "far/2@18"}))
        << "columns behind the 72nd do not count";
    ASSERT_EQ(o.includes.size(), 1U);
    EXPECT_EQ(o.includes[0].name, "Some File.inc");
    EXPECT_EQ(o.includes[0].line, 15);
    EXPECT_EQ(o.find("prob")->arguments, (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_EQ(o.find("nobody"), nullptr);
}

TEST(FortranSource, ContinuationsOfEveryKind)
{
    EXPECT_EQ(outline_of("\tsubroutine a(x,\n\t1 y,\n\t2 z)\n", source_form::fixed).subprograms.at(0).arguments.size(), 3U) << "tabulators";
    EXPECT_EQ(outline_of("      subroutine a(x,\nc     between\n!     too\n\n     & y)\r\n", source_form::fixed).subprograms.at(0).arguments.size(),
              2U);
    EXPECT_EQ(outline_of("      subroutine a\n     0x = 1\n", source_form::fixed).subprograms.at(0).name, "a") << "a 0 begins a statement";
    const auto o = outline_of("  subroutine prob(a, & ! first\n"
                              "     ! between\n"
                              "     & b, &\n"
                              "     c); x = 1; y = 'a; subroutine no(z)'\n"
                              "  pure recursive integer(kind=4) function f(x) result(y)\n",
                              source_form::free);
    ASSERT_EQ(o.subprograms.size(), 2U);
    EXPECT_EQ(o.subprograms[0].arguments, (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_EQ(o.subprograms[0].line, 1);
    EXPECT_EQ(o.subprograms[1].name, "f");
    EXPECT_TRUE(o.subprograms[1].is_function);
}

constexpr auto prob_13 = "      subroutine prob(a,b,c,d,e,f,g,h,i,j,k,l,m)\n";

TEST(FortranFormat, EveryFormatIsKnownByItsHeads)
{
    const auto format = [](const std::string& text) { return recognised("x.f", outline_of(text, source_form::fixed)).format; };
    EXPECT_EQ(format("      subroutine prob(a,b,c,d,e,f,g)\n      subroutine init(a,b)\n      subroutine feval(a,b,c,d)\n"),
              problem_format::ode_1996);
    EXPECT_EQ(format("      subroutine prob(a,b,c,d,e,f,g,h,i,j,k,l)\n      subroutine init(a,b,c,d)\n      subroutine feval(a,b,c,d)\n"
                     "      subroutine mas(a,b,c)\n"),
              problem_format::dae_1996);
    EXPECT_EQ(format("      subroutine prob(a,b,c,d,e,f,g,h,i,j)\n      subroutine init(a,b,c,d)\n      subroutine geval(a,b,c,d,e)\n"),
              problem_format::ide_1996);
    const std::string core = std::string(prob_13) + "      subroutine init(a,b,c,d,e)\n      subroutine feval(a,b,c,d,e,f,g,h)\n";
    EXPECT_EQ(format(core), problem_format::release_2_0);
    EXPECT_EQ(format("      integer function pidate()\n" + core), problem_format::release_2_0) << "it may have the date already";
    EXPECT_EQ(format("      integer function pidate()\n" + core + "      subroutine settolerances(a,b,c,d)\n      subroutine setoutput(a,b,c,d,e)\n"),
              problem_format::release_2_3);
}

TEST(FortranFormat, FaultsNameTheLine)
{
    EXPECT_EQ(
        faults_of("      x = 1\n"),
        (std::vector<std::string>{"x.f:1: the file has no subroutine prob, with which every problem of the test set begins (docs/fortran.md)"}));
    EXPECT_EQ(faults_of("\n      program main\n" + std::string(prob_13)),
              (std::vector<std::string>{"x.f:2: the file has a main program, 'main'; allowed: the routines of a problem alone"}));
    const auto boundary = faults_of(std::string(prob_13) + "      subroutine bceval(a)\n");
    ASSERT_EQ(boundary.size(), 1U);
    EXPECT_NE(boundary[0].find("x.f:2: bceval belongs to the test set for boundary value problems"), std::string::npos);
    const auto two = faults_of(std::string(prob_13) +
                               "      subroutine init(a,b,c,d,e)\n      subroutine jeval(a,b)\n      subroutine meval(a,b,c,d,e,f,g,h,i)\n");
    ASSERT_EQ(two.size(), 2U);
    EXPECT_EQ(two[0], "x.f:1: the file has no routine feval(neqn,t,y,yprime,f,ierr,rpar,ipar), which the format of release 2.0 has");
    EXPECT_EQ(two[1], "x.f:3: jeval has 2 arguments; the format of release 2.0 has 9: ldim,neqn,t,y,yprime,dfdy,ierr,rpar,ipar");
}

using faults = std::vector<std::string>;

TEST(CompilerMessages, EachHasItsPlace)
{
    const std::string said = "/cache/build-1/problem.f:12:9:\n\n"
                             "/cache/build-1/problem.f:12:9: Error: Syntax error at (1)\n"
                             "/cache/build-1/problem.f:12:9: Error: Syntax error at (1)\n"
                             "/home/a:1:2/part.inc:3:1: Fatal Error: Cannot open: 5:6: Error: x\n"
                             "/usr/bin/ld: /tmp/cc1.o: in function `feval_':\n"
                             "/usr/bin/ld: /cache/build-1/problem.f:30: undefined reference to `nowhere_'\n"
                             "problem.f:31: undefined reference to 'c_name'\n"
                             "problem.f:4:: Error: no column\n"
                             " problem.f:4:1: Error: not at the beginning\n"
                             "x: undefined reference to `no line'\n"
                             "collect2: error: ld returned 1 exit status";
    EXPECT_EQ(faults_in(said, "my.f", "problem.f"),
              (faults{"my.f:12: gfortran: Syntax error at (1)", "/home/a:1:2/part.inc:3: gfortran: Cannot open: 5:6: Error: x",
                      "my.f:30: the file calls nowhere and does not define it; allowed: a file with all it calls",
                      "my.f:31: the file calls c_name and does not define it; allowed: a file with all it calls"}));
    EXPECT_EQ(faults_in("f951: out of memory\n", "my.f", "problem.f"), (faults{"my.f: gfortran cannot compile it: f951: out of memory"}));
    EXPECT_EQ(faults_in("", "my.f", "problem.f").size(), 1U);
}

TEST(CompilerMessages, AreReadHoweverLongALineIs)
{
    const std::string text(1'000'000, 'a');
    std::string colons;
    for (int k = 0; k < 200'000; ++k) colons += "a:1:";
    for (const std::string& said :
         {text, colons, text + ":3:1: Error: " + text, "problem.f:3:1: Error: " + text, "problem.f:3: undefined reference to `" + text + "_'"}) {
        const auto all = faults_in(said, "my.f", "problem.f");
        ASSERT_EQ(all.size(), 1U);
        EXPECT_LT(all[0].size(), 1000U);
    }
}

} // namespace
} // namespace ivp::fortran
