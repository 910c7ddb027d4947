#include "base/text.hpp"
#include "commands.hpp"

#include <ivp/catalog.hpp>

#include <algorithm>
#include <iostream>

namespace ivp::cli {

namespace {

struct list_arguments : command {
    list_arguments() : command("list", "List problems or solvers") {}

    text kind = word("what", "problems or solvers", "what to list (problems or solvers)");
    text form = option("--form", "Only this form: ode, dae, ide", "");
    text index = option("--index", "Only problems of this index; solvers that can take it", "");
    text tag = option("--tag", "Only problems with this tag (chemistry, circuits, stiff, ...)", "");
    text sort = option("--sort", "Problems in the order of: id, form, n, index; default: the catalog's", "");
    text format = option("--format", "text, json, csv", "text");
};

struct filter {
    std::optional<form> wanted_form;
    std::optional<int> index;
    std::string tag;
};

filter read_filter(const list_arguments& a, reader& read)
{
    filter f;
    if (!a.form.empty()) {
        f.wanted_form = read.choice<form>("--form", a.form, form_from_label, "ode, dae, ide");
    }
    if (!a.index.empty()) {
        const auto k = parse_real(a.index);
        if (k && (*k == 0 || *k == 1 || *k == 2 || *k == 3))
            f.index = static_cast<int>(*k);
        else
            read.fault("--index: '" + a.index + "' given; allowed: a whole number from 0 to 3");
    }
    f.tag = a.tag;
    return f;
}

using order = bool (*)(const problem_info& a, const problem_info& b);

std::optional<order> order_from_label(std::string_view text)
{
    if (text == "id") return [](const problem_info& a, const problem_info& b) { return a.id < b.id; };
    if (text == "form") return [](const problem_info& a, const problem_info& b) { return a.form < b.form; };
    if (text == "n") return [](const problem_info& a, const problem_info& b) { return a.n < b.n; };
    if (text == "index") return [](const problem_info& a, const problem_info& b) { return a.highest_index < b.highest_index; };
    return std::nullopt;
}

void list_problems(const filter& f, std::optional<order> sorted, text_format format)
{
    std::vector<problem> shown;
    std::vector<std::string> tags;
    for (const auto& id : problem_ids()) {
        problem p = open_problem(id);
        const auto& i = p.info();
        tags.insert(tags.end(), i.tags.begin(), i.tags.end());
        if (f.wanted_form && i.form != *f.wanted_form) continue;
        if (f.index && i.highest_index != *f.index) continue;
        if (!f.tag.empty() && std::find(i.tags.begin(), i.tags.end(), f.tag) == i.tags.end()) continue;
        shown.push_back(std::move(p));
    }
    if (!f.tag.empty() && std::find(tags.begin(), tags.end(), f.tag) == tags.end()) {
        std::sort(tags.begin(), tags.end());
        tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
        throw bad_request("--tag: '" + f.tag + "' given; no problem has this tag; allowed: " + joined(tags, ", ") + nearest_name_hint(f.tag, tags));
    }
    if (sorted) std::stable_sort(shown.begin(), shown.end(), [&](const problem& a, const problem& b) { return (*sorted)(a.info(), b.info()); });
    std::cout << problem_list(shown, format);
}

void list_solvers(const filter& f, text_format format)
{
    std::vector<std::string> names = solver_names();
    std::vector<library_solver> unavailable; // whether they match is not known
    for (const auto& l : library_solvers())
        if (l.available)
            names.push_back(l.name);
        else if (!f.wanted_form && !f.index)
            unavailable.push_back(l);
    std::vector<std::unique_ptr<const solver>> shown;
    for (const auto& name : names) {
        auto s = open_solver(name);
        if (f.wanted_form && !s->info().takes(*f.wanted_form)) continue;
        if (f.index && s->info().highest_index < *f.index) continue;
        shown.push_back(std::move(s));
    }
    std::cout << solver_list(shown, unavailable, format);
}

int list(const list_arguments& a)
{
    reader read;
    const text_format format = read.format(a.format, {"text", "json", "csv"});
    const filter f = read_filter(a, read);
    if (a.kind != "problems" && a.kind != "solvers") read.fault("list: '" + a.kind + "' given; allowed: problems, solvers");
    std::optional<order> sorted;
    if (!a.sort.empty()) sorted = read.choice<order>("--sort", a.sort, order_from_label, "id, form, n, index");
    if (a.kind == "solvers" && !a.sort.empty()) read.fault("--sort: allowed with 'list problems' only");
    if (a.kind == "solvers" && !a.tag.empty()) read.fault("--tag: solvers have no tags; allowed with 'list problems' only");
    read.raise();
    if (a.kind == "problems")
        list_problems(f, sorted, format);
    else
        list_solvers(f, format);
    return done;
}

} // namespace

std::unique_ptr<command> list_command() { return make_command(list); }

} // namespace ivp::cli
