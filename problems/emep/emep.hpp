// EMEP problem: the chemistry of ozone over rural Europe through 112 hours (ODE, 66 equations, stiff, switched by the sun).
//
//   y_i' = sum over the reactions r of (coefficient of species i in r) * k_r(t) * (product of the reactants of r) + emission of i
//
//   some 160 reactions, by collision (rc), by light (dj) and by deposition (rc47 .. rc53), and 11 emissions: tables in emep_data.hpp
//   dj = A exp(-B / cos(zenith angle)) between 4 h and 20 h local time, 1e-40 in the dark; deposition in the dark: a quarter
//   water vapour H2O(t) from the relative humidity RH = 23 sin(2.43 - 7.93e-5 s) + 66.5, s seconds after midnight
//
//   14400 <= t <= 417600 s,   y_i(0) between 1e-3 and 3.5e13 molecules/cm^3
//
// Difficult because light switches the fast reactions on and off at each of eight sunrises and sunsets, and because the concentrations
// lie fifteen decades apart.
// Origin: D. Simpson (1993); J. G. Verwer, D. Simpson, CWI report NM-R9409 (1994). Chapter: chapter.md.
#ifndef IVP_PROBLEMS_EMEP_HPP
#define IVP_PROBLEMS_EMEP_HPP

#include "emep_network.hpp"

#include <ivp/problem_of.hpp>

#include <array>
#include <map>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ivp::problems {

template <class R>
struct emep {
    using kind = emep_data::kind;
    static constexpr const auto& network = emep_data::the_network;
    static constexpr int species = emep_data::species.size();
    static constexpr int reactions = emep_data::reactions.size();
    static constexpr int shares = network.first_share[species];
    static constexpr int lights = emep_data::photolysis.size();
    static constexpr int hour = 3600;
    static constexpr int day = 24 * hour;
    static constexpr int sunrise = 4 * hour;
    static constexpr int sunset = 20 * hour;

    std::array<R, reactions> by_day, by_night; ///< constant part of each coefficient; an emission is a reaction without reactants
    std::array<R, shares> molecules;           ///< made, or used up, of each share
    std::array<R, lights> A, B;
    R dark_rate;
    R noon_height, mean_height; ///< cos(zenith angle) = mean_height + noon_height cos(hour angle)
    R half_day_angle;           ///< pi / 43200 s
    R H2O_per_RH, RH_mean, RH_amplitude, RH_phase, RH_frequency;
    R rc36_H2O;

    explicit emep(const parameter_values& p)
        : dark_rate(number("1e-40")), RH_mean(number("66.5")), RH_amplitude(number("23")), RH_phase(number("2.43")), RH_frequency(number("7.93e-5"))
    {
        using std::acos, std::cos, std::exp, std::sin;
        const R pi = acos(R(-1));
        const R latitude = 50 * pi / 180;
        const R declination = number("23.5") * pi / 180;
        noon_height = cos(latitude) * cos(declination);
        mean_height = sin(latitude) * sin(declination);
        half_day_angle = pi / (day / 2);
        for (int i = 0; i < lights; ++i) {
            A[i] = number(emep_data::photolysis[i].A);
            B[i] = number(emep_data::photolysis[i].B);
        }

        // Saturation pressure of water (Clausius and Clapeyron), as a number of molecules per percent of relative humidity.
        const R T = p.get<R>("T");
        const R freezing = number("273.16");
        const R heat = (number("597.3") - number("0.57") * (T - freezing)) * 18 / number("1.986");
        H2O_per_RH = number("6.1078") * exp(-heat * (1 / T - 1 / freezing)) * 10 / (number("1.38e-16") * T);
        rc36_H2O = number("1.4e-21") * exp(2200 / T);

        for (int s = 0; s < shares; ++s) molecules[s] = R(network.share_at[s].thousandths) / 1000;

        const auto rate = rate_coefficients(p);
        for (int n = 0; n < reactions; ++n) {
            const auto name = emep_data::reactions[n].rate;
            by_day[n] = rate.at(name);
            by_night[n] = emep_data::position(emep_data::deposition, name) < 0 ? by_day[n] : by_day[n] / 4;
        }
    }

    /// What of the rate coefficients depends on the time of day.
    template <class T>
    struct conditions {
        std::array<T, lights> dj;
        T H2O;
        const R* k; ///< the rest
    };

    template <class T>
    conditions<T> at(const T& t) const
    {
        using std::cos, std::exp, std::sin;
        const T begun = t - day * periods_before(t, day);
        // Seconds after midnight. An extended-precision t just below midnight was rounded up to it.
        const T s = piecewise([&]() -> T { return begun < 0 ? T(begun + day) : begun; });
        // NOTE: sunrise and sunset belong to what follows them, as in the original: its published counts depend on it.
        const bool dark = s < sunrise || s >= sunset;

        conditions<T> now;
        if (dark) {
            now.dj.fill(T(dark_rate));
        } else {
            const T sec = 1 / (mean_height - noon_height * cos(half_day_angle * s)); // the hour angle is 0 at noon
            T attenuation = exp(-B[0] * sec);
            for (int i = 0; i < lights; ++i) {
                if (i > 0 && !(B[i] == B[i - 1])) attenuation = exp(-B[i] * sec);
                now.dj[i] = A[i] * attenuation;
            }
        }
        now.H2O = H2O_per_RH * (RH_mean + RH_amplitude * sin(RH_phase - RH_frequency * s));
        now.k = dark ? by_night.data() : by_day.data();
        return now;
    }

    template <class T>
    void f(const T& t, const T* y, T* dydt) const
    {
        const conditions<T> now = at(t);
        std::array<T, reactions> v;
        for_all<T>(
            index<0>{}, index<reactions>{}, [&](auto n) __attribute__((always_inline)) { v[n] = velocity(n, now, y); });
        for_all<T>(
            index<0>{}, index<species>{}, [&](auto i) __attribute__((always_inline)) {
                T sum = T(0);
                for_all<T>(
                    shares_before(i), shares_until(i), [&](auto s) __attribute__((always_inline)) { add_share(s, v, sum); });
                dydt[i] = sum;
            });
    }

    /// How often reaction n takes place [1/(cm^3 s)].
    template <class T>
    [[gnu::always_inline]] T velocity(int n, const conditions<T>& now, const T* y) const
    {
        const auto& r = network.reaction_at[n];
        const R& k = now.k[n];
        switch (r.what) {
        case kind::emission: return T(k);
        case kind::unimolecular: return k * y[r.first];
        case kind::bimolecular: return k * y[r.first] * y[r.second];
        case kind::by_light: return now.dj[r.light] * y[r.first];
        case kind::with_water: return k * now.H2O * y[r.first];
        case kind::helped_by_water: return k * (1 + rc36_H2O * now.H2O) * y[r.first] * y[r.second];
        }
        return T(0);
    }

    /// Adds what one reaction does to a species.
    template <class T>
    [[gnu::always_inline]] void add_share(int s, const std::array<T, reactions>& v, T& sum) const
    {
        const auto& share = network.share_at[s];
        if (share.thousandths == 1000)
            sum += v[share.reaction];
        else if (share.thousandths == -1000)
            sum -= v[share.reaction];
        else
            sum += (written_out<T> ? R(share.thousandths) / 1000 : molecules[s]) * v[share.reaction]; // a constant where it can be one
    }

    void initial(R* y) const
    {
        std::fill(y, y + species, R(100));
        y[0] = R(1e9);
        y[1] = y[2] = R(5e9);
        y[3] = R(3.8e12);
        y[4] = R(3.5e13);
        std::fill(y + 5, y + 13, R(1e7));
        y[13] = R(5e11);
        y[OD] = number("1e-3");
    }

    static std::vector<parameter> parameters()
    {
        return {
            {"T", 298, 250, 320, "temperature of the air [K]"},
            {"M", "2.55e19", "1e18", "1e20", "concentration of air molecules [molecules/cm^3]"},
            {"O2", "5.2e18", "1e17", "1e20", "concentration of oxygen [molecules/cm^3]"},
            {"HMIX", "1.2e5", "1e3", "1e6", "height of the mixed layer [cm]"},
            {"E0", "2.5e11", 0, "1e14", "emission of NO; the others are in proportion [molecules/(cm^2 s)]"},
            {"aerosol", "1e-4", 0, 1, "rate of uptake by aerosol, rc43 [1/s]"},
        };
    }

    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "emep";
        i.title = "EMEP";
        i.form = form::ode;
        i.n = species;
        i.t0 = sunrise;
        i.tend = 4 * day + sunset;
        for (int d = 0; d < 4; ++d) {
            i.breakpoints.insert(i.breakpoints.end(), {d * day + sunset, (d + 1) * day + sunrise});
            i.discontinuities.insert(i.discontinuities.end(), {d * day + sunset, (d + 1) * day, (d + 1) * day + sunrise}); // humidity: midnight
        }
        i.component_names.assign(emep_data::species.begin(), emep_data::species.end());
        i.pictured = {O3 + 1, OH + 1};
        i.quantity_of_interest = "the concentrations of all species at the last sunset, above all ozone, except those of OP and OD";
        i.contributor = "J. G. Verwer, D. Simpson (test set: CWI, 1996)";
        i.tags = {"chemistry", "stiff", "medium", "breakpoints"};
        i.accuracy.excluded = {OP + 1, OD + 1};
        i.protocol = {.ladder_start = 2, .ladder_per_decade = 8, .ladder_last = 32, .fixed_atol = 1, .fixed_h0 = 1e-7};
        return i;
    }

private:
    static constexpr int O3 = 13, OP = 35, OH = 36, OD = 37; // numbers of species

    static R number(const char* text) { return decimal(text).in<R>(); }

    // In double precision the loops over reactions and shares are written out by the compiler, with the entries of the tables as constants:
    // that makes the formula as fast as if the sixty-six sums had been written by hand.
    template <int i>
    using index = std::integral_constant<int, i>;
#ifdef NDEBUG
    template <class T>
    static constexpr bool written_out = std::is_same_v<T, double>;
#else
    template <class T>
    static constexpr bool written_out = false; // sanitizers would take minutes to compile it
#endif

    template <class T, class First, class Last, class Body>
    [[gnu::always_inline]] static void for_all(First first, Last last, const Body& body)
    {
        if constexpr (written_out<T>) {
            [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) { (body(index<First::value + i>{}), ...); }
            (std::make_integer_sequence<int, Last::value - First::value>{});
        } else {
            for (int i = first; i < last; ++i) body(i);
        }
    }
    template <int i>
    static index<network.first_share[i]> shares_before(index<i>)
    {
        return {};
    }
    template <int i>
    static index<network.first_share[i + 1]> shares_until(index<i>)
    {
        return {};
    }
    static int shares_before(int i) { return network.first_share[i]; }
    static int shares_until(int i) { return network.first_share[i + 1]; }

    /// Constant coefficients by name.
    static std::map<std::string_view, R> rate_coefficients(const parameter_values& p)
    {
        using std::exp, std::pow;
        const R T = p.get<R>("T");
        const R M = p.get<R>("M");
        const R HMIX = p.get<R>("HMIX");
        const R E0 = p.get<R>("E0");
        const auto E = [&](const char* factor, const char* exponent) { return number(factor) * exp(number(exponent) / T); };

        std::map<std::string_view, R> rate;
        for (const auto& r : emep_data::thermal) rate[r.rate] = E(r.factor, r.exponent);
        rate["rc1"] *= pow(T / 300, number("-2.8")) * M * p.get<R>("O2");
        rate["rc5"] *= pow(T / 300, number("-1.6")) * M;
        rate["rc7"] *= M;
        rate["rc36"] += M * E("1.7e-33", "1000");
        rate["rc43"] = p.get<R>("aerosol");
        for (const auto& r : emep_data::deposition) rate[r.rate] = number(r.value) / HMIX;
        for (const auto& r : emep_data::photolysis) rate[r.rate] = R(1); // all light

        R moles = R(0);
        for (const auto& h : emep_data::hydrocarbons) moles += number(h.mass_share) / number(h.molecular_mass);
        for (const auto& h : emep_data::hydrocarbons) rate[h.rate] = E0 / HMIX * (number(h.mass_share) / number(h.molecular_mass) / moles);
        for (const auto& r : emep_data::emissions) rate[r.rate] = E0 / HMIX * number(r.value);
        return rate;
    }
};

} // namespace ivp::problems

#endif
