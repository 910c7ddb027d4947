#include "stage_method.hpp"

#include "complex_quad.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace ivp::reference {

namespace {

/// P_n(x) and P_n'(x), -1 < x < 1.
std::pair<quad, quad> legendre(int n, quad x)
{
    quad before = 1;
    quad p = x;
    for (int k = 2; k <= n; ++k) {
        const quad next = (quad(2 * k - 1) * x * p - quad(k - 1) * before) / quad(k);
        before = p;
        p = next;
    }
    if (n == 0) return {quad(1), quad(0)};
    return {p, quad(n) * (before - x * p) / (quad(1) - x * x)};
}

/// All simple zeros of a function in (-1, 1), ascending; `count` of them.
template <class Function>
std::vector<quad> zeros(Function f, int count)
{
    using std::cos;
    const int cells = 40 * count;
    std::vector<quad> found;
    const auto grid = [cells](int k) { return quad(-cos(3.14159265358979 * (k + 0.37) / (cells + 1))); }; // dense at the ends, as the zeros are
    for (int k = 0; k < cells; ++k) {
        quad low = grid(k);
        quad high = grid(k + 1);
        const bool rising = f(low) < quad(0);
        if (rising == (f(high) < quad(0))) continue;
        for (int halvings = 0; halvings < 130; ++halvings) {
            const quad middle = (low + high) / quad(2);
            ((f(middle) < quad(0)) == rising ? low : high) = middle;
        }
        found.push_back((low + high) / quad(2));
    }
    assert(static_cast<int>(found.size()) == count);
    return found;
}

std::vector<quad> onto_unit_interval(std::vector<quad> x)
{
    for (auto& v : x) v = (v + quad(1)) / quad(2);
    return x;
}

std::vector<quad> radau_nodes(int s)
{
    // The zeros of P_s - P_{s-1} are those of Radau's formula; x = 1 is one of them.
    auto x = zeros([s](quad v) { return legendre(s, v).first - legendre(s - 1, v).first; }, s - 1);
    x.emplace_back(1);
    return onto_unit_interval(std::move(x));
}

std::vector<quad> lobatto_nodes(int s)
{
    auto x = zeros([s](quad v) { return legendre(s - 1, v).second; }, s - 2);
    x.insert(x.begin(), quad(-1));
    x.emplace_back(1);
    return onto_unit_interval(std::move(x));
}

struct quadrature {
    std::vector<quad> x;
    std::vector<quad> w;
};

/// Gauss's formula on [0, 1]: exact to degree 2n - 1.
quadrature gauss(int n)
{
    quadrature q{zeros([n](quad v) { return legendre(n, v).first; }, n), {}};
    for (const quad& x : q.x) {
        const quad slope = legendre(n, x).second;
        q.w.push_back(quad(1) / ((quad(1) - x * x) * slope * slope));
    }
    q.x = onto_unit_interval(std::move(q.x));
    return q;
}

/// The j-th Lagrange polynomial of the nodes first, first + 1, …
quad lagrange(const std::vector<quad>& c, std::size_t first, std::size_t j, quad x)
{
    quad value = 1;
    for (std::size_t k = first; k < c.size(); ++k)
        if (k != j) value *= (x - c[k]) / (c[j] - c[k]);
    return value;
}

/// Integral of a Lagrange polynomial from 0 to the end.
quad integral(const quadrature& q, const std::vector<quad>& c, std::size_t first, std::size_t j, quad end)
{
    quad sum = 0;
    for (std::size_t k = 0; k < q.x.size(); ++k) sum += q.w[k] * lagrange(c, first, j, end * q.x[k]);
    return sum * end;
}

std::vector<quad> radau_coefficients(const std::vector<quad>& c)
{
    const std::size_t s = c.size();
    const quadrature q = gauss(static_cast<int>(s));
    std::vector<quad> a(s * s);
    for (std::size_t i = 0; i < s; ++i)
        for (std::size_t j = 0; j < s; ++j) a[i * s + j] = integral(q, c, 0, j, c[i]);
    return a;
}

/// a_i1 = b_1, and the row integrates polynomials of degree s - 2 exactly: the Lagrange polynomials of all nodes but the first.
std::vector<quad> lobatto_coefficients(const std::vector<quad>& c)
{
    const std::size_t s = c.size();
    const quadrature q = gauss(static_cast<int>(s));
    const quad first = quad(1) / quad(static_cast<int>(s * (s - 1)));
    std::vector<quad> a(s * s);
    for (std::size_t i = 0; i < s; ++i) {
        a[i * s] = first;
        for (std::size_t j = 1; j < s; ++j) a[i * s + j] = integral(q, c, 1, j, c[i]) - first * lagrange(c, 1, j, quad(0));
    }
    return a;
}

/// Zeros of the denominator of Padé's approximation of exp with these degrees: the eigenvalues of (a)^-1.
std::vector<complex_quad> pade_poles(int numerator, int denominator)
{
    std::vector<quad> coefficient{quad(1)}; // of z^i
    for (int i = 0; i < denominator; ++i)
        coefficient.push_back(coefficient.back() * quad(-(denominator - i)) / (quad(i + 1) * quad(numerator + denominator - i)));
    // Aberth's iteration: Newton's, each zero repelled by the others.
    const int n = denominator;
    std::vector<complex_quad> z;
    for (int k = 0; k < n; ++k) {
        const quad angle = quad(2 * k + 1) * quad(3.14159265358979) / quad(n) * quad(0.5) - quad(0.7);
        z.push_back({quad(0.7 * n) * cos(angle * quad(2)), quad(0.7 * n) * sin(angle * quad(2))});
    }
    for (int sweep = 0; sweep < 300; ++sweep) {
        quad moved = 0;
        for (int k = 0; k < n; ++k) {
            complex_quad p{coefficient[n], 0};
            complex_quad slope{0, 0};
            for (int i = n - 1; i >= 0; --i) {
                slope = slope * z[k] + p;
                p = p * z[k] + complex_quad{coefficient[i], 0};
            }
            complex_quad repulsion{0, 0};
            for (int other = 0; other < n; ++other)
                if (other != k) repulsion = repulsion + complex_quad{1, 0} / (z[k] - z[other]);
            const complex_quad newton = p / slope;
            const complex_quad change = newton / (complex_quad{1, 0} - newton * repulsion);
            z[k] = z[k] - change;
            moved = std::max(moved, abs(change) / abs(z[k]));
        }
        if (moved < quad(1e-25)) break;
    }
    return z;
}

using matrix = std::vector<complex_quad>; // by rows

/// A vector x with (1 - lambda A) x = 0.
std::vector<complex_quad> null_vector(const std::vector<quad>& a, int s, const complex_quad& lambda)
{
    matrix m(static_cast<std::size_t>(s) * s);
    for (int i = 0; i < s; ++i)
        for (int j = 0; j < s; ++j) m[i * s + j] = complex_quad{i == j ? quad(1) : quad(0), 0} - lambda * complex_quad{a[i * s + j], 0};
    // Elimination with complete pivoting leaves the column without a pivot for the last.
    std::vector<int> column(s);
    for (int j = 0; j < s; ++j) column[j] = j;
    for (int k = 0; k < s - 1; ++k) {
        int row = k;
        int col = k;
        for (int i = k; i < s; ++i)
            for (int j = k; j < s; ++j)
                if (abs(m[i * s + j]) > abs(m[row * s + col])) {
                    row = i;
                    col = j;
                }
        for (int j = 0; j < s; ++j) std::swap(m[k * s + j], m[row * s + j]);
        for (int i = 0; i < s; ++i) std::swap(m[i * s + k], m[i * s + col]);
        std::swap(column[k], column[col]);
        for (int i = k + 1; i < s; ++i) {
            const complex_quad factor = m[i * s + k] / m[k * s + k];
            for (int j = k; j < s; ++j) m[i * s + j] = m[i * s + j] - factor * m[k * s + j];
        }
    }
    std::vector<complex_quad> x(s);
    x[column[s - 1]] = {1, 0};
    for (int k = s - 2; k >= 0; --k) {
        complex_quad sum{0, 0};
        for (int j = k + 1; j < s; ++j) sum = sum + m[k * s + j] * x[column[j]];
        x[column[k]] = complex_quad{0, 0} - sum / m[k * s + k];
    }
    quad size = 0;
    for (const auto& v : x) size = std::max(size, abs(v));
    for (auto& v : x) v = v / complex_quad{size, 0};
    return x;
}

matrix inverse(matrix m, int s)
{
    matrix inv(m.size());
    for (int i = 0; i < s; ++i) inv[i * s + i] = {1, 0};
    for (int k = 0; k < s; ++k) {
        int row = k;
        for (int i = k; i < s; ++i)
            if (abs(m[i * s + k]) > abs(m[row * s + k])) row = i;
        for (int j = 0; j < s; ++j) {
            std::swap(m[k * s + j], m[row * s + j]);
            std::swap(inv[k * s + j], inv[row * s + j]);
        }
        const complex_quad pivot = m[k * s + k];
        for (int j = 0; j < s; ++j) {
            m[k * s + j] = m[k * s + j] / pivot;
            inv[k * s + j] = inv[k * s + j] / pivot;
        }
        for (int i = 0; i < s; ++i) {
            if (i == k) continue;
            const complex_quad factor = m[i * s + k];
            for (int j = 0; j < s; ++j) {
                m[i * s + j] = m[i * s + j] - factor * m[k * s + j];
                inv[i * s + j] = inv[i * s + j] - factor * inv[k * s + j];
            }
        }
    }
    return inv;
}

void diagonalise(stage_method& m)
{
    const int s = m.stages;
    auto poles = pade_poles(m.family == family::radau ? s - 1 : s - 2, s);
    std::sort(poles.begin(), poles.end(), [](const complex_quad& a, const complex_quad& b) { return abs(a.im) < abs(b.im); });
    std::vector<complex_quad> lambda{poles.front()}; // the real one; then one of each pair
    lambda[0].im = 0;
    for (std::size_t k = 1; k < poles.size(); ++k)
        if (poles[k].im > quad(0)) lambda.push_back(poles[k]);
    assert(static_cast<int>(lambda.size()) == (s + 1) / 2);

    matrix t(static_cast<std::size_t>(s) * s);
    int column = 0;
    for (const auto& l : lambda) {
        const auto x = null_vector(m.a, s, l);
        for (int i = 0; i < s; ++i) t[i * s + column] = x[i];
        ++column;
        if (l.im == quad(0)) continue;
        for (int i = 0; i < s; ++i) t[i * s + column] = {x[i].re, -x[i].im};
        ++column;
    }
    const matrix inv = inverse(t, s);

    m.real_eigenvalue = static_cast<double>(lambda[0].re);
    for (std::size_t k = 1; k < lambda.size(); ++k) m.eigenvalue.push_back({static_cast<double>(lambda[k].re), static_cast<double>(lambda[k].im)});
    m.to_eigen.resize(t.size());
    m.from_eigen.resize(t.size());
    for (int j = 0; j < s; ++j) {
        m.to_eigen[j] = static_cast<double>(inv[j].re);
        m.from_eigen[j * s] = static_cast<double>(t[j * s].re);
    }
    for (int k = 1; k < s; k += 2)
        for (int j = 0; j < s; ++j) {
            m.to_eigen[k * s + j] = static_cast<double>(inv[k * s + j].re);
            m.to_eigen[(k + 1) * s + j] = static_cast<double>(inv[k * s + j].im);
            // Z gets t w and its conjugate: 2 Re(t w)
            m.from_eigen[j * s + k] = 2 * static_cast<double>(t[j * s + k].re);
            m.from_eigen[j * s + k + 1] = -2 * static_cast<double>(t[j * s + k].im);
        }
}

} // namespace

stage_method make_method(family f, int stages)
{
    assert(stages % 2 == 1 && stages >= 3 && stages <= 25);
    stage_method m;
    m.family = f;
    m.stages = stages;
    m.c = f == family::radau ? radau_nodes(stages) : lobatto_nodes(stages);
    m.a = f == family::radau ? radau_coefficients(m.c) : lobatto_coefficients(m.c);

    const std::size_t s = m.c.size();
    for (std::size_t j = 0; j < s; ++j) {
        quad product = 1;
        for (std::size_t k = 0; k < s; ++k)
            if (k != j) product *= m.c[j] - m.c[k];
        m.weight.push_back(quad(1) / product);
    }
    // The sum of weight_i Y_i is the coefficient of x^(s-1); that of Legendre's polynomial on [0, 1] is (2k)! / k!^2 with k = s - 1.
    quad leading = 1;
    for (int k = 1; k < stages; ++k) leading = leading * quad(2 * (2 * k - 1)) / quad(k);
    for (const quad& w : m.weight) m.top.push_back(w / leading);
    diagonalise(m);
    return m;
}

std::string describe(const stage_method& m)
{
    const bool radau = m.family == family::radau;
    return std::string(radau ? "Radau IIA" : "Lobatto IIIC") + " with " + std::to_string(m.stages) + " stages (order " +
           std::to_string(2 * m.stages - (radau ? 1 : 2)) + ")";
}

} // namespace ivp::reference
