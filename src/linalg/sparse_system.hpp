// sparse_system: J and M of the matrices c M − J, by the entries of their common pattern.
#ifndef IVP_LINALG_SPARSE_SYSTEM_HPP
#define IVP_LINALG_SPARSE_SYSTEM_HPP

#include "linalg/linear_path.hpp"

#include <ivp/scalar.hpp>

#include <cmath>
#include <vector>

namespace ivp {

/// J and M by the entries of their common pattern.
template <class R>
class sparse_system {
public:
    explicit sparse_system(const path_request<R>& request) : jacobian_(request.jacobian), evaluated_(request.mass.evaluated.data)
    {
        const sparsity& s = pattern();
        if (request.mass.constant == nullptr) {
            for (int p = 0; p < s.entries(); ++p) mass_.push_back({p, R(0)});
            return;
        }
        for (int j = 0; j < s.n; ++j)
            for (int p = s.column_start[j]; p < s.column_start[j + 1]; ++p)
                if (const R m = request.mass.constant->at(s.row[p], j); !(m == R(0))) mass_.push_back({p, m});
    }

    struct mass_entry {
        int entry;
        R value;
    };

    [[nodiscard]] const sparsity& pattern() const { return *jacobian_.pattern; }
    [[nodiscard]] int n() const { return jacobian_.n; }
    [[nodiscard]] int entries() const { return jacobian_.pattern->entries(); }
    [[nodiscard]] const R& jacobian(int entry) const { return jacobian_.data[entry]; }

    /// visit(entry, value) for every entry of M.
    template <class Visit>
    void for_mass(Visit visit) const
    {
        if (evaluated_ != nullptr) {
            for (const mass_entry& m : mass_) visit(m.entry, evaluated_[m.entry]);
            return;
        }
        for (const mass_entry& m : mass_) visit(m.entry, m.value);
    }

    [[nodiscard]] std::vector<char> in_mass() const
    {
        std::vector<char> in(entries(), 0);
        for (const mass_entry& m : mass_) in[m.entry] = 1;
        return in;
    }

    [[nodiscard]] bool all_finite() const
    {
        using std::isfinite;
        bool finite = true;
        for (int p = 0; p < entries(); ++p) finite = finite && isfinite(jacobian(p));
        for_mass([&](int /*p*/, const R& m) { finite = finite && isfinite(m); });
        return finite;
    }

private:
    matrix_view<R> jacobian_;
    const R* evaluated_;
    std::vector<mass_entry> mass_;
};

} // namespace ivp

#endif
