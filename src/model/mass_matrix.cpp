#include <ivp/problem.hpp>

#include <ivp/scalar.hpp>

#include <algorithm>
#include <cstddef>

namespace ivp {

template <class R>
void mass_matrix<R>::multiply(const R* x, R* out) const
{
    const R* m = values_.data();
    switch (kind_) {
    case mass_kind::identity: std::copy(x, x + n_, out); return;
    case mass_kind::diagonal:
        for (int i = 0; i < n_; ++i) out[i] = m[i] * x[i];
        return;
    case mass_kind::sparse:
        std::fill(out, out + n_, R(0));
        for (int j = 0; j < n_; ++j)
            for (int p = pattern_->column_start[j]; p < pattern_->column_start[j + 1]; ++p) out[pattern_->row[p]] += m[p] * x[j];
        return;
    case mass_kind::band:
    case mass_kind::full: break;
    }
    // Along a row the stored position grows by the same stride from column to column.
    const auto stored = view();
    const std::ptrdiff_t stride = kind_ == mass_kind::full ? stored.ld : stored.ld - 1;
    const auto multiply_row = [&](int i) {
        const int first = std::max(0, i - lower());
        const int last = std::min(n_ - 1, i + upper());
        const R* entry = m + stored.position(i, first);
        R sum(0);
        for (int j = first; j <= last; ++j, entry += stride) sum += *entry * x[j];
        out[i] = sum;
    };
    int i = 0;
    if (kind_ == mass_kind::band && lower_ == 1 && upper_ == 1 && n_ > 2) { // three terms, written out: the loop takes longer than they do
        multiply_row(i++);
        for (const R* entry = m + stored.position(1, 0); i < n_ - 1; ++i, entry += stored.ld)
            out[i] = R(0) + entry[0] * x[i - 1] + entry[stride] * x[i] + entry[2 * stride] * x[i + 1];
    }
    for (; i < n_; ++i) multiply_row(i);
}

template <class R>
std::string mass_matrix<R>::describe() const
{
    switch (kind_) {
    case mass_kind::identity: return "identity";
    case mass_kind::diagonal: return "diagonal";
    case mass_kind::band: return "band " + std::to_string(lower_) + "," + std::to_string(upper_);
    case mass_kind::full: return "full";
    case mass_kind::sparse: return "sparse " + std::to_string(pattern_->entries()) + " entries";
    }
    return {};
}

template class mass_matrix<double>;
template class mass_matrix<quad>;

} // namespace ivp
