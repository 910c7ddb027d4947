#include "drivers/fortran/format.hpp"

#include "base/text.hpp"

#include <ivp/problem.hpp>

#include <algorithm>

namespace ivp::fortran {

namespace {

constexpr auto prob_2_0 = "fullnm,problm,type,neqn,ndisc,t,numjac,mljac,mujac,nummas,mlmas,mumas,ind";

constexpr std::array ode_1996_routines{
    routine{"prob", "problm,neqn,tbegin,tend,ijac,mljac,mujac"},
    routine{"init", "neqn,y"},
    routine{"feval", "neqn,t,y,dy"},
    routine{"jeval", "neqn,t,y,jac,ldim", true},
    routine{"solut", "neqn,y", true},
};
constexpr std::array dae_1996_routines{
    routine{"prob", "problm,neqn,tbegin,tend,ijac,mljac,mujac,mlmas,mumas,ind1,ind2,ind3"},
    routine{"init", "neqn,y,dy,incon"},
    routine{"feval", "neqn,t,y,dy"},
    routine{"jeval", "neqn,t,y,jac,ldim", true},
    routine{"mas", "neqn,am,ldim"},
    routine{"solut", "neqn,y", true},
};
constexpr std::array ide_1996_routines{
    routine{"prob", "problm,neqn,tbegin,tend,ijac,mljac,mujac,ind1,ind2,ind3"},
    routine{"init", "neqn,y,dy,incon"},
    routine{"geval", "neqn,t,y,dy,g"},
    routine{"jeval", "neqn,t,y,dy,dgdy,dgddy,ldim", true},
    routine{"solut", "neqn,y", true},
};
constexpr std::array release_2_0_routines{
    routine{"prob", prob_2_0},
    routine{"init", "neqn,t,y,yprime,consis"},
    routine{"feval", "neqn,t,y,yprime,f,ierr,rpar,ipar"},
    routine{"jeval", "ldim,neqn,t,y,yprime,dfdy,ierr,rpar,ipar", true},
    routine{"meval", "ldim,neqn,t,y,yprime,dfddy,ierr,rpar,ipar", true},
    routine{"solut", "neqn,t,y", true},
};
constexpr std::array release_2_3_routines{
    routine{"pidate", ""},
    routine{"prob", prob_2_0},
    routine{"init", "neqn,t,y,yprime,consis"},
    routine{"settolerances", "neqn,rtol,atol,tolvec"},
    routine{"setoutput", "neqn,solref,printsolout,nindsol,indsol"},
    routine{"feval", "neqn,t,y,yprime,f,ierr,rpar,ipar"},
    routine{"jeval", "ldim,neqn,t,y,yprime,dfdy,ierr,rpar,ipar", true},
    routine{"meval", "ldim,neqn,t,y,yprime,dfddy,ierr,rpar,ipar", true},
    routine{"solut", "neqn,t,y", true},
};

constexpr std::array others_than_2_3{problem_format::release_2_0, problem_format::dae_1996, problem_format::ide_1996, problem_format::ode_1996};

std::string place(const std::string& path, int line) { return path + ":" + std::to_string(line) + ": "; }

bool fits(const routine& r, const source_outline& o)
{
    const subprogram* p = o.find(r.name);
    return p != nullptr && static_cast<int>(p->arguments.size()) == r.argument_count();
}

/// The format that most of the file's routines fit. What was left out or added is then told in its terms.
problem_format nearest_format(const source_outline& o)
{
    // The routines that only release 2.3 has decide for it; among the others as many as possible should fit. (pidate may be there before.)
    if (o.find("settolerances") != nullptr || o.find("setoutput") != nullptr) return problem_format::release_2_3;
    const auto score = [&o](problem_format f) {
        int points = 0;
        for (const auto& r : routines_of(f)) points += fits(r, o) ? 2 : o.find(r.name) != nullptr ? 0 : r.may_be_missing ? 0 : -1;
        return points;
    };
    return *std::ranges::max_element(others_than_2_3, {}, score);
}

void refuse_boundary_values(const std::string& path, const source_outline& o)
{
    for (const auto* name : {"bceval", "dbceval"})
        if (const auto* p = o.find(name))
            throw bad_request(place(path, p->line) + name + " belongs to the test set for boundary value problems; allowed: initial value problems");
}

void refuse_main_program(const std::string& path, const source_outline& o)
{
    for (const auto& p : o.subprograms)
        if (p.is_program)
            throw bad_request(place(path, p.line) + "the file has a main program, '" + p.name + "'; allowed: the routines of a problem alone");
}

} // namespace

int routine::argument_count() const { return arguments.empty() ? 0 : static_cast<int>(std::ranges::count(arguments, ',')) + 1; }

std::string_view title_of(problem_format f)
{
    switch (f) {
    case problem_format::ode_1996: return "the format of 1996 for ODEs";
    case problem_format::dae_1996: return "the format of 1996 for DAEs";
    case problem_format::ide_1996: return "the format of 1996 for IDEs";
    case problem_format::release_2_0: return "the format of release 2.0";
    case problem_format::release_2_3: return "the format of release 2.3";
    }
    return "";
}

std::span<const routine> routines_of(problem_format f)
{
    switch (f) {
    case problem_format::ode_1996: return ode_1996_routines;
    case problem_format::dae_1996: return dae_1996_routines;
    case problem_format::ide_1996: return ide_1996_routines;
    case problem_format::release_2_0: return release_2_0_routines;
    case problem_format::release_2_3: return release_2_3_routines;
    }
    return {};
}

int recognised_file::line_of(std::string_view routine) const
{
    const subprogram* p = outline.find(routine);
    return p == nullptr ? 0 : p->line;
}

recognised_file recognised(const std::string& path, source_outline outline)
{
    refuse_main_program(path, outline);
    refuse_boundary_values(path, outline);
    if (outline.find("prob") == nullptr)
        throw bad_request(place(path, 1) + "the file has no subroutine prob, with which every problem of the test set begins (docs/fortran.md)");
    const problem_format f = nearest_format(outline);
    const int first_line = outline.find("prob")->line;
    std::vector<std::string> faults;
    for (const auto& r : routines_of(f)) {
        const subprogram* p = outline.find(r.name);
        if (p == nullptr) {
            if (!r.may_be_missing)
                faults.push_back(place(path, first_line) + "the file has no routine " + std::string(r.name) + "(" + std::string(r.arguments) +
                                 "), which " + std::string(title_of(f)) + " has");
        } else if (static_cast<int>(p->arguments.size()) != r.argument_count()) {
            faults.push_back(place(path, p->line) + std::string(r.name) + " has " + counted(p->arguments.size(), "argument") + "; " +
                             std::string(title_of(f)) + " has " + std::to_string(r.argument_count()) + ": " + std::string(r.arguments));
        }
    }
    if (!faults.empty()) throw bad_request(std::move(faults));
    return {f, std::move(outline)};
}

} // namespace ivp::fortran
