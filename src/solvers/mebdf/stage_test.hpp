// stage_test: when the iteration of one of the first two stages has converged, and when it is given up.
#ifndef IVP_SOLVERS_MEBDF_STAGE_TEST_HPP
#define IVP_SOLVERS_MEBDF_STAGE_TEST_HPP

#include <algorithm>

namespace ivp::solvers::mebdf {

enum class verdict { go_on, converged, given_up };

class stage_test {
public:
    /// rate: of the convergence, remembered from step to step. sample: the first iteration only measures.
    stage_test(double& rate, double bound, bool sample) : rate_(rate), bound_(bound), sample_(sample) {}

    /// size: Σ (δ_i/w_i)² of the correction just made.
    verdict operator()(double size)
    {
        const bool first = iterations_++ == 0;
        if (!first && before_ != 0) rate_ = std::max(0.9 * rate_, size / before_);
        if (!first || !sample_) {
            if (size * std::min(1.0, 2 * rate_) < bound_) return verdict::converged;
            if (!first && size > before_) return verdict::given_up;
        }
        before_ = size;
        return iterations_ < limit ? verdict::go_on : verdict::given_up;
    }

private:
    static constexpr int limit = 5;

    double& rate_;
    double bound_;
    bool sample_;
    int iterations_ = 0;
    double before_ = 0;
};

} // namespace ivp::solvers::mebdf

#endif
