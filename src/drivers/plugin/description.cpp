// What a solver says of itself, read with care.
#include "library.hpp"

#include <ivp/error.hpp>

#include <algorithm>

namespace ivp::plugin {

namespace {

class description_reader {
public:
    description_reader(const std::string& label, const ivp_solver_description& d) : label_(label), d_(d) {}

    solver_info read()
    {
        check_layout(label_, "description", d_.version, d_.size, sizeof(ivp_solver_description));
        read_texts();
        read_abilities();
        read_options();
        if (!faults_.empty()) throw bad_request(std::move(faults_));
        return std::move(info_);
    }

private:
    void fault(const std::string& what) { faults_.push_back(label_ + ": " + what); }

    void read_texts()
    {
        info_.name = clean_text(d_.name);
        if (info_.name.empty())
            fault("its name is empty");
        else if (!is_name(info_.name))
            fault("its name is '" + info_.name + "'; allowed: " + names_allowed);
        info_.title = clean_text(d_.title);
        if (info_.title.empty()) info_.title = info_.name;
        info_.version = clean_text(d_.solver_version);
        info_.origin = "plug-in";
        info_.language = d_.language == nullptr ? "C" : clean_text(d_.language);
        info_.error_norm = clean_text(d_.error_norm);
        info_.lu_unit = clean_text(d_.lu_unit);
        info_.reference = clean_text(d_.reference);
    }

    void read_abilities()
    {
        constexpr std::uint32_t all_forms = IVP_ODE | IVP_DAE | IVP_IDE;
        constexpr std::uint32_t all_flags = 2 * IVP_LOCALLY_EXTRAPOLATED - 1;
        if (d_.forms == 0) fault("it names no form of problem that it solves; allowed: IVP_ODE, IVP_DAE, IVP_IDE or sums of these");
        if ((d_.forms & ~all_forms) != 0) fault("forms = " + std::to_string(d_.forms) + "; allowed: IVP_ODE, IVP_DAE, IVP_IDE or sums of these");
        if ((d_.flags & ~all_flags) != 0) fault("flags = " + std::to_string(d_.flags) + " has bits that this program does not know");
        if ((d_.forms & IVP_ODE) != 0) info_.forms.push_back(form::ode);
        if ((d_.forms & IVP_DAE) != 0) info_.forms.push_back(form::dae);
        if ((d_.forms & IVP_IDE) != 0) info_.forms.push_back(form::ide);

        if (d_.highest_index < 0 || d_.highest_index > 3) fault("highest_index = " + std::to_string(d_.highest_index) + "; allowed: 0 to 3");
        if (d_.lowest_order < 1 || d_.highest_order < d_.lowest_order)
            fault("orders " + std::to_string(d_.lowest_order) + " to " + std::to_string(d_.highest_order) +
                  "; allowed: lowest_order at least 1 and at most highest_order");
        if (d_.max_threads < 0) fault("max_threads = " + std::to_string(d_.max_threads) + "; allowed: 0 and more");
        info_.highest_index = d_.highest_index;
        info_.lowest_order = d_.lowest_order;
        info_.highest_order = d_.highest_order;
        info_.max_threads = std::max(1, d_.max_threads);

        const auto has = [this](std::uint32_t flag) { return (d_.flags & flag) != 0; };
        info_.implicit = has(IVP_IMPLICIT);
        info_.takes_h0 = has(IVP_TAKES_H0) || has(IVP_NEEDS_H0);
        info_.needs_h0 = has(IVP_NEEDS_H0);
        info_.needs_initial_derivative = has(IVP_NEEDS_YP);
        info_.takes_band = has(IVP_TAKES_BAND);
        info_.takes_sparse = has(IVP_TAKES_SPARSE);
        info_.takes_zero_rtol = has(IVP_TAKES_ZERO_RTOL);
        info_.takes_zero_atol = has(IVP_TAKES_ZERO_ATOL);
        info_.takes_vector_tolerance = has(IVP_TAKES_VECTOR_TOLERANCES);
        info_.gives_error_estimate = has(IVP_GIVES_ERROR_ESTIMATE);
        info_.locally_extrapolated = has(IVP_LOCALLY_EXTRAPOLATED);
    }

    void read_options()
    {
        std::vector<std::string> wrong;
        for (auto& o : read_named_numbers("option", d_.option_count, d_.options, wrong))
            info_.options.push_back({o.name, o.value, o.min, o.max, o.meaning, o.whole ? option_kind::whole : option_kind::real});
        for (const auto& w : wrong) fault(w);
    }

    const std::string& label_;
    const ivp_solver_description& d_;
    solver_info info_;
    std::vector<std::string> faults_;
};

} // namespace

solver_info read_description(const std::string& label, const ivp_solver_description& d) { return description_reader(label, d).read(); }

} // namespace ivp::plugin
