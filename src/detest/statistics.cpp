#include "statistics.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace ivp::detest {

namespace {

constexpr double truth_share = 0.01;    // of the tolerance or bound, for the true solutions
constexpr double lumping_factor = 1000; // errors below this many roundings cannot be told from rounding
constexpr double badly_deceived_from = 5;
constexpr std::size_t most_notes = 20000; // of an integration; what comes later is counted, not looked at
constexpr std::size_t most_worst = 3;
constexpr std::size_t steps_around = 4; // a deceived step, on each side

template <class Real>
double distance_in(norm_kind norm, std::span<const double> a, std::span<const double> b)
{
    Real largest = 0;
    Real squares = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const Real d = std::abs(static_cast<Real>(a[i] - b[i]));
        if (!(d <= largest)) largest = d; // NaN stays
        squares += d * d;
    }
    if (norm == norm_kind::max) return largest;
    const Real length = std::sqrt(squares);
    return norm == norm_kind::l2 ? length : length / std::sqrt(static_cast<Real>(a.size()));
}

double largest_of(std::span<const double> v)
{
    double m = 0;
    for (const double x : v) m = std::max(m, std::abs(x));
    return m;
}

} // namespace

double distance(norm_kind norm, std::span<const double> a, std::span<const double> b, bool single)
{
    return single ? distance_in<float>(norm, a, b) : distance_in<double>(norm, a, b);
}

double distance(const assessment_settings& s, std::span<const double> a, std::span<const double> b)
{
    return s.replaced.distance ? s.replaced.distance(a, b) : distance(s.norm, a, b, s.as_1986);
}

int scatter_table::class_of(double ratio, bool nearest)
{
    if (!(ratio >= 0)) return lowest + classes - 1; // NaN: as bad as can be
    const double exponent = std::log2(std::max(1.0, 256 * ratio)) - 8;
    const double i = nearest ? std::round(exponent) : std::floor(exponent) + 1;
    return static_cast<int>(std::clamp(i, static_cast<double>(lowest), static_cast<double>(lowest + classes - 1)));
}

void scatter_table::enter(double estimate, double its_error, bool nearest) { ++at(class_of(estimate, nearest), class_of(its_error, nearest)); }

std::uint64_t& scatter_table::at(int estimate_class, int error_class)
{
    return cell_.at(static_cast<std::size_t>(error_class - lowest)).at(static_cast<std::size_t>(estimate_class - lowest));
}

std::uint64_t scatter_table::count(int estimate_class, int error_class) const
{
    return cell_.at(static_cast<std::size_t>(error_class - lowest)).at(static_cast<std::size_t>(estimate_class - lowest));
}

std::uint64_t scatter_table::total() const
{
    std::uint64_t sum = 0;
    for (const auto& row : cell_)
        for (const auto c : row) sum += c;
    return sum;
}

int ratio_histogram::class_of(double ratio)
{
    if (!(ratio >= 0)) return highest;
    return static_cast<int>(std::clamp(std::floor(10 * std::log10(ratio)), static_cast<double>(lowest), static_cast<double>(highest)));
}

step_statistics::step_statistics(const problem& p, const assessment_settings& settings, double tolerance, bool extrapolated)
    : step_statistics(p, settings, tolerance, extrapolated, settings.level >= 2 ? make_truth(p, settings) : nullptr)
{}

step_statistics::step_statistics(const problem& p, assessment_settings settings, double tolerance, bool extrapolated, std::unique_ptr<truth> truths)
    : settings_(std::move(settings)),
      tolerance_(tolerance),
      extrapolated_(extrapolated),
      truth_(std::move(truths)),
      last_told_(p.info().t0.value()),
      last_assessed_(last_told_),
      y_old_(p.in<double>().initial_values()),
      global_old_(y_old_),
      global_size_(largest_of(global_old_)),
      local_(y_old_.size()),
      other_(y_old_.size()),
      t_old_(last_told_)
{
    summary_.true_until = last_told_;
}

void step_statistics::after_step(double t, std::span<const double> y, double bound, std::span<const double> estimate)
{
    ++summary_.steps;
    ++in_lump_;
    const double length = t - last_assessed_;
    if (settings_.set == problem_set::nonstiff) {
        bound_ += bound;
    } else if (length > 0) { // a mean that favours the longer, later steps
        const double weight = (t - last_told_) / length;
        bound_ += (settings_.as_1986 ? static_cast<double>(static_cast<float>(weight)) : weight) * (bound - bound_);
    }
    last_told_ = t;
    const double size = std::max(global_size_, largest_of(y));
    if (length * tolerance_ < size * lumping_factor * settings_.roundoff || !(length > 0)) return;

    ++summary_.lumped;
    if (truth_ && !given_up()) {
        const double begin = seconds_now();
        assess(t, y, estimate, in_lump_ > 1);
        summary_.truth_rescues = truth_->rescues();
        summary_.truth_seconds += seconds_now() - begin;
    }
    bound_ = 0;
    in_lump_ = 0;
    last_assessed_ = t;
}

double step_statistics::seconds_now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

bool step_statistics::given_up()
{
    if (summary_.truth_seconds <= settings_.truth_limit_s.value_or(std::numeric_limits<double>::infinity())) return false;
    if (summary_.global_flag > 0) summary_.global_flag = truth_out_of_time;
    if (settings_.level >= 3 && summary_.local_flag > 0) summary_.local_flag = truth_out_of_time;
    return true;
}

void step_statistics::assess(double t, std::span<const double> y, std::span<const double> estimate, bool lumped)
{
    const bool global_known = assess_globally(t, y);
    // The original gave up all truth when the global one was lost.
    if (settings_.level < 3 || (settings_.as_1986 && !global_known)) return;
    if (settings_.as_1986 && summary_.local_flag < 0) return;
    assess_locally(t, y, estimate, lumped);
    std::copy(y.begin(), y.end(), y_old_.begin());
    t_old_ = t;
}

bool step_statistics::assess_globally(double t, std::span<const double> y)
{
    if (summary_.global_flag < 0) return false;
    const true_point reached = truth_->advance(t, truth_share * tolerance_);
    summary_.global_flag = reached.flag;
    const auto solution = truth_->global_solution();
    // In the original the size of y, by which steps are lumped, is from then on taken where the truth was lost.
    if (reached.flag > 0 || settings_.as_1986) {
        std::copy(solution.begin(), solution.end(), global_old_.begin());
        global_size_ = largest_of(global_old_);
    }
    if (reached.flag < 0) {
        summary_.true_until = reached.t;
        return false;
    }
    if (settings_.level == 2) summary_.true_until = t;
    const double error = distance(settings_, y, global_old_);
    if (!(error <= summary_.max_global_error)) summary_.max_global_error = error;
    return true;
}

void step_statistics::assess_locally(double t, std::span<const double> y, std::span<const double> estimate, bool lumped)
{
    const true_point reached = truth_->local(t_old_, y_old_, t, truth_share * bound_, local_);
    // Beyond the original one lost step is not the end, but stays known as a failure.
    if (summary_.local_flag >= 0) {
        summary_.local_flag = reached.flag;
        summary_.true_until = reached.t;
    }
    if (reached.flag < 0) {
        ++summary_.truth_failures;
        note(t, y, estimate, std::numeric_limits<double>::quiet_NaN());
        return;
    }
    const double error = distance(settings_, y, local_) / bound_;
    if (!(error <= summary_.max_local_error)) summary_.max_local_error = error;
    if (!(error <= 1)) ++summary_.deceived;
    if (!(error <= badly_deceived_from)) ++summary_.badly_deceived;
    ++summary_.assessed;
    if (settings_.details) {
        summary_.by_bound.enter(error);
        summary_.by_tolerance.enter(error * bound_ / tolerance_);
    }
    note(t, y, estimate, error);
    // The estimate belongs to the last step of a lump only; the original's text leaves lumps out, its program enters them.
    if (settings_.level >= 4 && !estimate.empty() && (!lumped || settings_.as_1986)) enter_scatter(y, estimate, error);
}

void step_statistics::note(double t, std::span<const double> y, std::span<const double> estimate, double error)
{
    if (!settings_.details || notes_.size() >= most_notes) return;
    double size = std::numeric_limits<double>::quiet_NaN();
    if (!estimate.empty()) {
        std::fill(other_.begin(), other_.end(), 0.0);
        size = distance(settings_, estimate, other_) / bound_;
    }
    notes_.push_back({t, t - t_old_, bound_, error, size, {y.begin(), y.end()}});
}

step_summary step_statistics::finished() const
{
    step_summary s = summary_;
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < notes_.size(); ++k)
        if (notes_[k].error > 1) order.push_back(k);
    std::ranges::stable_sort(order, [this](std::size_t a, std::size_t b) { return notes_[a].error > notes_[b].error; });
    if (order.size() > most_worst) order.resize(most_worst);
    for (const auto k : order) {
        const std::size_t from = k > steps_around ? k - steps_around : 0;
        const std::size_t to = std::min(notes_.size(), k + steps_around + 1);
        deceived_step d;
        d.middle = k - from;
        d.around.assign(notes_.begin() + static_cast<std::ptrdiff_t>(from), notes_.begin() + static_cast<std::ptrdiff_t>(to));
        s.worst.push_back(std::move(d));
    }
    return s;
}

void step_statistics::enter_scatter(std::span<const double> y, std::span<const double> estimate, double local_error)
{
    std::fill(other_.begin(), other_.end(), 0.0);
    const double size = distance(settings_, estimate, other_) / bound_;
    double its_error = local_error; // of y*, which is y itself with local extrapolation
    if (!extrapolated_) {
        for (std::size_t i = 0; i < other_.size(); ++i) other_[i] = y[i] - estimate[i];
        its_error = distance(settings_, other_, local_) / bound_;
    }
    summary_.scatter.enter(size, its_error, settings_.as_1986);
}

bool start_probe::after_step(double t)
{
    ++steps_;
    step_ = t - last_;
    last_ = t;
    return steps_ < 2;
}

} // namespace ivp::detest
