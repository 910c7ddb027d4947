// Tables of the EMEP problem: species, rate coefficients, reactions. Numbers are decimal text, so that every precision reads them exactly.
//
// Birth certificate: written once by a script from the tables of the facts collected for this project (66 species, 81 coefficients, 171
// terms of the right-hand side), which were checked against the published reference solution. The terms became reactions in chemical
// notation, where a species that is not used up stands on both sides. Coefficients that the original model keeps under several numbers
// with one value (rc83 = rc105 = ... = rc60, rc155 = rc85, rc44 = rc45 = rc43) appear under one of them.
#ifndef IVP_PROBLEMS_EMEP_DATA_HPP
#define IVP_PROBLEMS_EMEP_DATA_HPP

#include <array>
#include <string_view>

namespace ivp::problems::emep_data {

// clang-format off

constexpr auto species = std::to_array<std::string_view>({
    "NO", "NO2", "SO2", "CO", "CH4", "C2H6", "NC4H10", "C2H4", "C3H6", "OXYL", "HCHO",
    "CH3CHO", "MEK", "O3", "HO2", "HNO3", "H2O2", "H2", "CH3O2", "C2H5OH", "SA", "CH3O2H",
    "C2H5O2", "CH3COO", "PAN", "SECC4H", "MEKO2", "R2OOH", "ETRO2", "MGLYOX", "PRRO2", "GLYOX", "OXYO2",
    "MAL", "MALO2", "OP", "OH", "OD", "NO3", "N2O5", "ISOPRE", "NITRAT", "ISRO2", "MVK",
    "MVKO2", "CH3OH", "RCO3H", "OXYO2H", "BURO2H", "ETRO2H", "PRRO2H", "MEKO2H", "MALO2H", "MACR", "ISNI",
    "ISRO2H", "MARO2", "MAPAN", "CH2CCH3", "ISONO3", "ISNIR", "MVKO2H", "CH2CHR", "ISNO3H", "ISNIRH", "MARO2H",
});

struct arrhenius {
    std::string_view rate;
    const char* factor;
    const char* exponent;
};
/// factor * exp(exponent / T); what else belongs to rc1, rc5, rc7, rc8 and rc36 stands in the formula of the problem.
constexpr auto thermal = std::to_array<arrhenius>({
    {"rc1", "5.7e-34", "0"},        {"rc5", "9.6e-32", "0"},        {"rc7", "2.0e-11", "100"},      {"rc8", "2.2e-10", "0"},
    {"rc11", "1.8e-12", "-1370"},   {"rc12", "1.2e-13", "-2450"},   {"rc13", "1.9e-12", "-1000"},   {"rc14", "1.4e-14", "-600"},
    {"rc15", "1.8e-11", "110"},     {"rc17", "3.7e-12", "240"},     {"rc19", "7.2e-14", "-1414"},   {"rc20", "1.4e-12", "0"},
    {"rc21", "1.4e-11", "0"},       {"rc26", "4.1e-16", "0"},       {"rc29", "7.1e14", "-11080"},   {"rc30", "4.8e-11", "250"},
    {"rc31", "2.9e-12", "-160"},    {"rc33", "7.7e-12", "-2100"},   {"rc35", "1.0e-14", "785"},     {"rc36", "2.3e-13", "600"},
    {"rc39", "1.35e-12", "0"},      {"rc40", "4.0e-17", "0"},       {"rc59", "3.9e-12", "-1885"},   {"rc60", "4.2e-12", "180"},
    {"rc61", "5.5e-14", "365"},     {"rc62", "5.5e-14", "365"},     {"rc63", "3.3e-12", "-380"},    {"rc64", "3.2e-12", "0"},
    {"rc65", "3.8e-13", "780"},     {"rc66", "9.6e-12", "0"},       {"rc67", "1.0e-12", "190"},     {"rc68", "1.9e-12", "190"},
    {"rc69", "5.8e-16", "0"},       {"rc70", "2.4e-13", "0"},       {"rc71", "7.8e-12", "-1020"},   {"rc72", "8.9e-12", "0"},
    {"rc74", "6.5e-13", "650"},     {"rc75", "5.6e-12", "310"},     {"rc76", "5.8e-12", "190"},     {"rc77", "1.0e-11", "0"},
    {"rc78", "1.34e16", "-13330"},  {"rc79", "2.0e-11", "0"},       {"rc80", "1.1e-11", "0"},       {"rc81", "1.64e-11", "-559"},
    {"rc85", "1.0e-11", "0"},       {"rc86", "1.15e-12", "0"},      {"rc87", "4.8e-12", "0"},       {"rc88", "1.3e-13", "1040"},
    {"rc89", "3.0e-13", "1040"},    {"rc94", "2.8e-12", "530"},     {"rc109", "1.66e-12", "474"},   {"rc112", "1.2e-14", "-2630"},
    {"rc123", "6.5e-15", "-1880"},  {"rc125", "2.86e-11", "0"},     {"rc146", "3.2e-11", "0"},      {"rc147", "2.0e-11", "0"},
    {"rc148", "2.2e-11", "0"},      {"rc149", "3.7e-11", "0"},      {"rc150", "12.3e-15", "-2013"}, {"rc151", "2.54e-11", "410"},
    {"rc153", "4.13e-12", "452"},   {"rc156", "2.0e-11", "0"},      {"rc157", "8.0e-18", "0"},      {"rc158", "1.86e-11", "175"},
    {"rc160", "4.32e-15", "-2016"}, {"rc161", "3.35e-11", "0"},     {"rc163", "7.8e-13", "0"},      {"rc219", "2.0e-11", "0"},
    {"rc221", "1.1e-11", "0"},      {"rc222", "1.7e-11", "0"},      {"rc223", "2.4e-11", "0"},      {"rc234", "1.37e-11", "0"},
    {"rc235", "1.7e-11", "0"},
});

struct coefficient {
    std::string_view rate;
    const char* value;
};
/// Deposition velocities [cm/s]; by night a quarter of them.
constexpr auto deposition = std::to_array<coefficient>({
    {"rc47", "0.5"}, {"rc48", "0.2"}, {"rc49", "0.5"}, {"rc50", "0.2"}, {"rc51", "0.1"}, {"rc52", "0.5"}, {"rc53", "0.3"},
});

struct light_dependence {
    std::string_view rate;
    const char* A;
    const char* B;
};
/// A exp(-B / cos(zenith angle)) by day; equal B next to each other. dj10 and dj12 of the original model belong to no reaction.
constexpr auto photolysis = std::to_array<light_dependence>({
    {"dj1", "1.23e-3", "0.60"},   {"dj7", "6.65e-5", "0.60"},   {"dj6", "5.40e-5", "0.79"},   {"dj11", "2.16e-4", "0.79"},
    {"dj2", "2.00e-4", "1.40"},   {"dj3", "1.45e-2", "0.40"},   {"dj4", "2.20e-5", "0.75"},   {"dj5", "3.00e-6", "1.25"},
    {"dj8", "1.35e-5", "0.94"},   {"dj9", "2.43e-5", "0.88"},   {"dj13", "3.53e-2", "0.081"}, {"dj14", "8.94e-2", "0.059"},
    {"dj15", "3.32e-5", "0.57"},  {"dj16", "2.27e-5", "0.62"},
});

struct emitted_hydrocarbon {
    std::string_view rate;
    const char* mass_share;
    const char* molecular_mass;
};
/// The emission of hydrocarbons is E0 molecules altogether, distributed by mass.
constexpr auto hydrocarbons = std::to_array<emitted_hydrocarbon>({
    {"EMIS6", "0.07689", "30"}, {"EMIS7", "0.41444", "58"},   {"EMIS8", "0.03642", "28"},
    {"EMIS9", "0.03827", "42"}, {"EMIS10", "0.24537", "106"}, {"EMIS13", "0.13957", "46"},
});
/// The others, in multiples of E0. CH4 (EMIS5) is not emitted.
constexpr auto emissions = std::to_array<coefficient>({
    {"EMIS1", "1"}, {"EMIS3", "1"}, {"EMIS4", "10"}, {"EMIS5", "0"}, {"EMIS11", "0.5"},
});

struct reaction {
    std::string_view rate;
    std::string_view equation;
};
constexpr auto reactions = std::to_array<reaction>({
    {"rc1", "OP -> O3"},
    {"rc5", "NO + OP -> NO2"},
    {"rc7", "OD -> OP"},
    {"rc8", "OD -> 2 OH"},
    {"rc11", "NO + O3 -> NO2"},
    {"rc12", "NO2 + O3 -> NO3"},
    {"rc13", "O3 + OH -> HO2"},
    {"rc14", "O3 + HO2 -> OH"},
    {"rc15", "NO + NO3 -> 2 NO2"},
    {"rc17", "NO + HO2 -> NO2 + OH"},
    {"rc19", "NO2 + NO3 -> NO + NO2"},
    {"rc20", "NO2 + NO3 -> N2O5"},
    {"rc21", "NO2 + OH -> HNO3"},
    {"rc26", "H2O2 + NO3 -> HO2 + HNO3"},
    {"rc29", "N2O5 -> NO2 + NO3"},
    {"rc30", "HO2 + OH ->"},
    {"rc31", "H2O2 + OH -> HO2"},
    {"rc33", "H2 + OH -> HO2"},
    {"rc35", "HNO3 + OH -> NO3"},
    {"rc36", "HO2 + HO2 -> H2O2"},
    {"rc39", "SO2 + OH -> HO2 + SA"},
    {"rc40", "SO2 + CH3O2 -> HCHO + HO2 + SA"},
    {"rc43", "HNO3 -> NITRAT"},
    {"rc43", "H2O2 ->"},
    {"rc43", "CH3O2H ->"},
    {"rc43", "N2O5 -> 2 NITRAT"},
    {"rc47", "SO2 ->"},
    {"rc47", "H2O2 ->"},
    {"rc48", "NO2 ->"},
    {"rc49", "O3 ->"},
    {"rc50", "PAN ->"},
    {"rc50", "MAPAN ->"},
    {"rc51", "SA ->"},
    {"rc51", "NITRAT ->"},
    {"rc52", "R2OOH ->"},
    {"rc52", "RCO3H ->"},
    {"rc52", "OXYO2H ->"},
    {"rc52", "BURO2H ->"},
    {"rc52", "ETRO2H ->"},
    {"rc52", "PRRO2H ->"},
    {"rc52", "MEKO2H ->"},
    {"rc52", "MALO2H ->"},
    {"rc52", "ISRO2H ->"},
    {"rc52", "MVKO2H ->"},
    {"rc52", "CH2CHR ->"},
    {"rc52", "ISNO3H ->"},
    {"rc52", "ISNIRH ->"},
    {"rc52", "MARO2H ->"},
    {"rc53", "HCHO ->"},
    {"rc53", "CH3CHO ->"},
    {"rc53", "MEK ->"},
    {"rc59", "CH4 + OH -> CH3O2"},
    {"rc60", "NO + CH3O2 -> NO2 + HCHO + HO2"},
    {"rc60", "NO + SECC4H -> NO2 + 0.35 CH3CHO + 0.65 MEK + 0.65 HO2 + 0.35 C2H5O2"},
    {"rc60", "NO + MEKO2 -> NO2 + CH3CHO + CH3COO"},
    {"rc60", "NO + ETRO2 -> NO2 + 2 HCHO + HO2"},
    {"rc60", "NO + PRRO2 -> NO2 + HCHO + CH3CHO + HO2"},
    {"rc60", "NO + OXYO2 -> NO2 + HO2 + MGLYOX + MAL"},
    {"rc60", "NO + MALO2 -> NO2 + HO2 + MGLYOX + GLYOX"},
    {"rc60", "NO + ISRO2 -> 0.86 NO2 + 0.74 HCHO + 0.78 HO2 + 0.12 ISRO2 + 0.42 MVK + 0.32 MACR + 0.14 ISNI"},
    {"rc60", "NO + MVKO2 -> 0.95 NO2 + 0.266 HCHO + 0.684 CH3CHO + 0.95 HO2 + 0.684 CH3COO + 0.266 MGLYOX + 0.05 ISNI"},
    {"rc60", "NO + CH2CCH3 -> NO2 + MEK + HO2"},
    {"rc60", "NO + ISONO3 -> 1.1 NO2 + 0.15 HCHO + 0.8 HO2 + 0.05 MVK + 0.1 MACR + 0.85 ISNI"},
    {"rc60", "NO + ISNIR -> 1.9 NO2 + 0.95 CH3CHO + 0.95 MEK + 0.05 HO2"},
    {"rc61", "CH3O2 + CH3O2 -> 2 HCHO + 2 HO2"},
    {"rc62", "CH3O2 + CH3O2 -> HCHO + CH3OH"},
    {"rc63", "OH + CH3OH -> HCHO + HO2"},
    {"rc64", "C2H5OH + OH -> CH3CHO + HO2"},
    {"rc65", "HO2 + CH3O2 -> CH3O2H"},
    {"rc66", "HCHO + OH -> CO + HO2"},
    {"rc67", "CH3O2H + OH -> HCHO + OH"},
    {"rc68", "CH3O2H + OH -> CH3O2"},
    {"rc68", "R2OOH + OH -> C2H5O2"},
    {"rc68", "OH + RCO3H -> CH3COO"},
    {"rc68", "OH + BURO2H -> SECC4H"},
    {"rc68", "OH + ETRO2H -> ETRO2"},
    {"rc68", "OH + PRRO2H -> PRRO2"},
    {"rc69", "HCHO + NO3 -> CO + HO2 + HNO3"},
    {"rc70", "CO + OH -> HO2"},
    {"rc71", "C2H6 + OH -> C2H5O2"},
    {"rc72", "NO + C2H5O2 -> NO2 + CH3CHO + HO2"},
    {"rc74", "HO2 + C2H5O2 -> R2OOH"},
    {"rc75", "CH3CHO + OH -> CH3COO"},
    {"rc76", "R2OOH + OH -> CH3CHO + OH"},
    {"rc76", "OH + BURO2H -> MEK + OH"},
    {"rc76", "OH + ETRO2H -> CH3CHO + OH"},
    {"rc76", "OH + PRRO2H -> MEK + OH"},
    {"rc77", "NO2 + CH3COO -> PAN"},
    {"rc77", "NO2 + MARO2 -> MAPAN"},
    {"rc78", "PAN -> NO2 + CH3COO"},
    {"rc78", "MAPAN -> NO2 + MARO2"},
    {"rc79", "NO + CH3COO -> NO2 + CH3O2"},
    {"rc79", "NO + MARO2 -> NO2 + CH2CCH3"},
    {"rc80", "CH3O2 + CH3COO -> HCHO + 0.5 HO2 + 0.5 CH3O2"},
    {"rc81", "NC4H10 + OH -> SECC4H"},
    {"rc85", "HO2 + SECC4H -> BURO2H"},
    {"rc85", "HO2 + MEKO2 -> MEKO2H"},
    {"rc85", "HO2 + ETRO2 -> ETRO2H"},
    {"rc85", "HO2 + PRRO2 -> PRRO2H"},
    {"rc85", "HO2 + OXYO2 -> OXYO2H"},
    {"rc85", "HO2 + MALO2 -> MALO2H"},
    {"rc85", "HO2 + ISRO2 -> ISRO2H"},
    {"rc85", "HO2 + MVKO2 -> MVKO2H"},
    {"rc85", "HO2 + MARO2 -> MARO2H"},
    {"rc85", "HO2 + CH2CCH3 -> CH2CHR"},
    {"rc85", "HO2 + ISONO3 -> ISNO3H"},
    {"rc85", "HO2 + ISNIR -> ISNIRH"},
    {"rc86", "MEK + OH -> MEKO2"},
    {"rc87", "OH + MEKO2H -> MEKO2"},
    {"rc88", "HO2 + CH3COO -> RCO3H"},
    {"rc89", "HO2 + CH3COO -> O3"},
    {"rc94", "CH3COO + CH3COO -> 2 CH3O2"},
    {"rc109", "C2H4 + OH -> ETRO2"},
    {"rc112", "C2H4 + O3 -> 0.44 CO + HCHO + 0.12 HO2 + 0.13 H2"},
    {"rc123", "C3H6 + O3 -> 0.4 CO + 0.07 CH4 + 0.5 HCHO + 0.5 CH3CHO + 0.28 HO2 + 0.07 H2 + 0.31 CH3O2 + 0.15 OH"},
    {"rc125", "C3H6 + OH -> PRRO2"},
    {"rc146", "OH + CH2CHR -> CH2CCH3"},
    {"rc147", "OH + ISNO3H -> ISONO3"},
    {"rc148", "OH + MVKO2H -> MVKO2"},
    {"rc149", "OH + ISNIRH -> ISNIR"},
    {"rc149", "OH + MARO2H -> MARO2"},
    {"rc150", "O3 + ISOPRE -> 0.05 CO + 0.07 C3H6 + 0.8 HCHO + 0.06 HO2 + 0.3 OP + 0.55 OH + 0.26 MVK + 0.67 MACR"},
    {"rc151", "OH + ISOPRE -> ISRO2"},
    {"rc153", "OH + MVK -> MVKO2"},
    {"rc156", "OH + ISRO2H -> OH + ISRO2"},
    {"rc157", "O3 + ISRO2H -> 0.7 HCHO"},
    {"rc158", "OH + MACR -> 0.5 MARO2"},
    {"rc160", "O3 + MVK -> 0.05 CO + 0.8 HCHO + 0.04 CH3CHO + 0.06 HO2 + 0.82 MGLYOX + 0.2 OP + 0.08 OH"},
    {"rc161", "OH + ISNI -> ISNIR"},
    {"rc163", "NO3 + ISOPRE -> ISONO3"},
    {"rc219", "MAL + OH -> MALO2"},
    {"rc221", "GLYOX + OH -> 2 CO + HO2"},
    {"rc222", "MGLYOX + OH -> CO + CH3COO"},
    {"rc223", "OH + MALO2H -> MALO2"},
    {"rc234", "OXYL + OH -> OXYO2"},
    {"rc235", "OH + OXYO2H -> OXYO2"},
    {"dj1", "O3 -> OP"},
    {"dj2", "O3 -> OD"},
    {"dj3", "NO2 -> NO + OP"},
    {"dj4", "H2O2 -> 2 OH"},
    {"dj5", "HNO3 -> NO2 + OH"},
    {"dj6", "HCHO -> CO + 2 HO2"},
    {"dj7", "HCHO -> CO + H2"},
    {"dj7", "GLYOX -> CO + HCHO"}, // twice: two channels of the same rate
    {"dj7", "GLYOX -> CO + HCHO"},
    {"dj8", "CH3CHO -> CO + HO2 + CH3O2"},
    {"dj9", "MEK -> C2H5O2 + CH3COO"},
    {"dj11", "MGLYOX -> CO + HO2 + CH3COO"},
    {"dj13", "NO3 -> NO"},
    {"dj14", "NO3 -> NO2 + OP"},
    {"dj15", "N2O5 -> NO2 + NO3"},
    {"dj16", "CH3O2H -> HCHO + HO2 + OH"},
    {"dj16", "R2OOH -> CH3CHO + HO2 + OH"},
    {"dj16", "RCO3H -> CH3O2 + OH"},
    {"dj16", "OXYO2H -> HO2 + MGLYOX + MAL + OH"},
    {"dj16", "BURO2H -> 0.35 CH3CHO + 0.65 MEK + 0.65 HO2 + 0.35 C2H5O2 + OH"},
    {"dj16", "ETRO2H -> 1.56 HCHO + 0.22 CH3CHO + HO2 + OH"},
    {"dj16", "PRRO2H -> HCHO + CH3CHO + HO2"},
    {"dj16", "MEKO2H -> CH3CHO + CH3COO + OH"},
    {"dj16", "MALO2H -> HO2 + MGLYOX + GLYOX + OH"},
    {"dj16", "CH2CCH3 -> MEK + CH2CCH3"},
    {"EMIS1", "-> NO"},
    {"EMIS3", "-> SO2 + 0.05 SA"},
    {"EMIS4", "-> CO"},
    {"EMIS5", "-> CH4"},
    {"EMIS6", "-> C2H6"},
    {"EMIS7", "-> NC4H10"},
    {"EMIS8", "-> C2H4"},
    {"EMIS9", "-> C3H6"},
    {"EMIS10", "-> OXYL"},
    {"EMIS11", "-> ISOPRE"},
    {"EMIS13", "-> C2H5OH"},
});

// clang-format on

} // namespace ivp::problems::emep_data

#endif
