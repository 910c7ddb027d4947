// step_history: keeps a reduced step from undoing more than the last increase.
#ifndef IVP_SOLVERS_MEBDF_STEP_HISTORY_HPP
#define IVP_SOLVERS_MEBDF_STEP_HISTORY_HPP

namespace ivp::solvers::mebdf {

class step_history {
public:
    explicit step_history(double h) : newest_(h), older_(h) {}

    /// The ratio to use where `ratio` is proposed for the step h: back to exactly the step before, if that was smaller, the proposal is a
    /// reduction, and it would not go below it.
    double filter(double ratio, double h)
    {
        if (h != newest_) {
            last_ratio_ = h / newest_;
            older_ = newest_;
            newest_ = h;
        }
        return ratio <= 1 && last_ratio_ > 1 && ratio * h > older_ ? older_ / h : ratio;
    }

private:
    double newest_;
    double older_;
    double last_ratio_ = 1;
};

} // namespace ivp::solvers::mebdf

#endif
