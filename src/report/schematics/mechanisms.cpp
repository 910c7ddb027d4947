// The mechanisms, at rest with their names and in motion.
#include "schematics.hpp"
#include "symbols.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

namespace ivp::schematics {

namespace {

using p = drawn_point;

/// Lengths of a mechanism, y upwards, to pixels.
struct placed {
    double scale;
    p origin;
    p operator()(double x, double y) const { return {origin.x + scale * x, origin.y - scale * y}; }
};

double value(const problem& q, std::string_view name) { return q.parameters().get<double>(name); }

// ---- Andrews' squeezing mechanism ----

// Lengths and fixed points [m], as the chapter has them.
constexpr double crank_radius = 0.007;
constexpr double rod = 0.028;
constexpr double body3 = 0.035;
constexpr double spring_along = 0.02;
constexpr double spring_across = 0.018;
constexpr double long_side = 0.04;
constexpr double short_side = 0.02;
constexpr p fixed_a{-0.06934, -0.00227};
constexpr p fixed_b{-0.03635, 0.03273};
constexpr p fixed_c{0.014, 0.072};

struct squeezer {
    p crank, meeting, spring_end, upper, lower;
};

p spring_end_at(double gamma)
{
    return fixed_b +
           p{spring_along * std::cos(gamma) + spring_across * std::sin(gamma), spring_along * std::sin(gamma) - spring_across * std::cos(gamma)};
}

/// From the seven angles.
squeezer squeezer_at(std::span<const double> q)
{
    squeezer s;
    s.crank = crank_radius * p{std::cos(q[0]), std::sin(q[0])};
    s.meeting = s.crank - rod * p{std::cos(q[0] + q[1]), std::sin(q[0] + q[1])};
    s.spring_end = spring_end_at(q[2]);
    s.upper = fixed_a + long_side * p{std::cos(q[4]), std::sin(q[4])};
    s.lower = fixed_a + long_side * p{std::sin(q[6]), -std::cos(q[6])};
    return s;
}

/// The point at these distances from a and b, on the left of the way from a to b (y upwards).
p meeting_of(p a, double from_a, p b, double from_b)
{
    const double distance = std::hypot(b.x - a.x, b.y - a.y);
    const double along = (from_a * from_a - from_b * from_b + distance * distance) / (2 * distance);
    const double across = std::sqrt(std::max(0.0, from_a * from_a - along * along));
    const p u = direction(a, b);
    return a + along * u + across * turned(u);
}

/// From the angle of the crank alone: the loops are closed.
squeezer squeezer_with_crank(double beta)
{
    squeezer s;
    s.crank = crank_radius * p{std::cos(beta), std::sin(beta)};
    s.meeting = meeting_of(fixed_b, body3, s.crank, rod); // below B
    s.meeting = s.meeting.y < fixed_b.y && s.meeting.x < s.crank.x ? s.meeting : meeting_of(s.crank, rod, fixed_b, body3);
    s.spring_end = spring_end_at(std::atan2(s.meeting.x - fixed_b.x, fixed_b.y - s.meeting.y));
    s.upper = meeting_of(fixed_a, long_side, s.meeting, short_side);
    s.lower = meeting_of(s.meeting, short_side, fixed_a, long_side);
    return s;
}

void draw_squeezer(drawing& d, const squeezer& s, const placed& at)
{
    const auto on = [&at](p x) { return at(x.x, x.y); };
    d.polygon({on(fixed_b), on(s.meeting), on(s.spring_end)}, ink::plain, fill::shade);
    spring(d, on(s.spring_end), on(fixed_c), ink::quiet);
    d.line({on(fixed_a), on(s.upper), on(s.meeting), on(s.lower), on(fixed_a)}, ink::bold);
    d.line({on({}), on(s.crank)}, ink::accent).line({on(s.crank), on(s.meeting)}, ink::bold);
    for (const p x : {s.crank, s.meeting, s.spring_end, s.upper, s.lower}) hinge(d, on(x));
    for (const p x : {p{}, fixed_a, fixed_b, fixed_c}) bearing(d, on(x));
}

schematic squeezing_mechanism()
{
    const placed at{4200, {330, 330}};
    drawing d(470, 470);
    const squeezer s = squeezer_with_crank(2.2);
    draw_squeezer(d, s, at);
    const auto body = [&](p a, p b, p shift, const char* number) {
        d.text(at((a.x + b.x) / 2, (a.y + b.y) / 2) + shift, number, anchor::middle, ink::accent);
    };
    d.text(at(0, 0) + p{14, 4}, "O, motor", anchor::start).text(at(fixed_a.x, fixed_a.y) + p{-12, 2}, "A", anchor::end);
    d.text(at(fixed_b.x, fixed_b.y) + p{-10, 2}, "B", anchor::end).text(at(fixed_c.x, fixed_c.y) + p{12, 2}, "C, spring", anchor::start);
    body(fixed_a, s.upper, {-4, -8}, "5");
    body(s.upper, s.meeting, {8, -4}, "4");
    body(fixed_a, s.lower, {-4, 16}, "7");
    body(s.lower, s.meeting, {8, 14}, "6");
    body(s.crank, s.meeting, {0, -8}, "2");
    body({}, s.crank, {9, -4}, "1");
    d.text(at((fixed_b.x + s.meeting.x + s.spring_end.x) / 3, (fixed_b.y + s.meeting.y + s.spring_end.y) / 3) + p{0, 4}, "3", anchor::middle,
           ink::accent);
    return {std::move(d), "The seven bodies, to scale. The motor turns body 1 about O; A, B and C are fixed, and the spring pulls at body 3."};
}

// ---- Slider crank ----

void draw_slider(drawing& d, const placed& at, double l1, double phi1, double x3)
{
    const p end{l1 * std::cos(phi1), l1 * std::sin(phi1)};
    d.line({at(-0.16, -0.035), at(0.52, -0.035)}, ink::quiet);
    d.line({at(0, 0), at(end.x, end.y)}, ink::accent);
    d.line({at(end.x, end.y), at(x3, 0)}, ink::bold);
    d.polygon({at(x3 - 0.035, -0.033), at(x3 + 0.035, -0.033), at(x3 + 0.035, 0.033), at(x3 - 0.035, 0.033)}, ink::plain, fill::shade);
    hinge(d, at(end.x, end.y));
    hinge(d, at(x3, 0));
    bearing(d, at(0, 0));
}

constexpr double crank_length = 0.15;
constexpr double rod_length = 0.3;

schematic slider_crank()
{
    const placed at{620, {150, 150}};
    drawing d(480, 240);
    constexpr double phi = 1.0;
    const double x3 = crank_length * std::cos(phi) + std::sqrt(rod_length * rod_length - std::pow(crank_length * std::sin(phi), 2));
    draw_slider(d, at, crank_length, phi, x3);
    // The rod bends.
    const p a = at(crank_length * std::cos(phi), crank_length * std::sin(phi));
    const p b = at(x3, 0);
    d.curve(a, 0.5 * (a + b) - 34 * turned(direction(a, b)), b, ink::dashed);
    d.line({at(0, 0), at(0.12, 0)}, ink::quiet);
    d.symbol(at(0.055, 0.02), "φ_1").symbol(at(-0.01, 0.075), "crank", anchor::end).symbol(at(0.23, 0.155), "elastic rod, bent: q", anchor::start);
    d.symbol(at(x3 - 0.09, 0.012), "φ_2", anchor::end).text(at(x3 + 0.045, -0.008), "block", anchor::start);
    d.arrow(at(0, -0.1), at(x3, -0.1), ink::quiet).symbol(at(x3 / 2, -0.125), "x_3");
    return {std::move(d),
            "A crank turns with a constant angular velocity; an elastic rod pushes the block to and fro. Its bending is drawn much too large."};
}

// ---- Car axis ----

void draw_axis(drawing& d, const placed& at, p right_wheel, p left, p right)
{
    const auto on = [&at](p x) { return at(x.x, x.y); };
    d.line({on({0, 0}), on(right_wheel)}, ink::plain);
    spring(d, on({0, 0}), on(left));
    spring(d, on(right_wheel), on(right));
    d.line({on(left), on(right)}, ink::bold);
    for (const p wheel : {p{0, 0}, right_wheel}) d.circle(on(wheel), 9, ink::plain, fill::shade);
    for (const p mass : {left, right}) d.circle(on(mass), 6, ink::accent, fill::solid);
}

schematic car_axis()
{
    const placed at{230, {80, 215}};
    drawing d(420, 270);
    draw_axis(d, at, {0.995, 0.1}, {0, 0.5}, {1, 0.52});
    fixed_wall(d, at(0.16, -0.045), at(-0.16, -0.045));
    d.line({at(0.8, -0.05), at(0.88, -0.02), at(0.94, 0.04), at(0.995, 0.06), at(1.05, 0.04), at(1.11, -0.02), at(1.2, -0.05)}, ink::quiet);
    d.symbol(at(0, 0.5) + p{0, -12}, "(x_l, y_l), M/2").symbol(at(1, 0.52) + p{0, -12}, "(x_r, y_r), M/2");
    d.text(at(0.5, 0.51) + p{0, 16}, "chassis, length L").text(at(0.5, 0.05) + p{0, 16}, "axis, length L");
    d.text(at(0.06, 0.28), "spring", anchor::start).symbol(at(1.05, 0.12), "(x_b, y_b)", anchor::start);
    d.text(at(0.06, -0.03) + p{0, 24}, "flat road", anchor::middle, ink::quiet).text(at(1, -0.05) + p{0, 14}, "bumps", anchor::middle, ink::quiet);
    return {std::move(d), "The right wheel rolls over bumps; two springs carry the chassis, half of whose mass is at each end."};
}

// ---- Wheelset ----

schematic wheelset()
{
    drawing d(640, 260);
    // From the front.
    const auto front = [&d](p centre, double roll) {
        const p axle{std::cos(roll), -std::sin(roll)};
        const p up{-std::sin(roll), -std::cos(roll)};
        const auto at = [&](double along, double high) { return centre + along * axle + high * up; };
        for (const double s : {-1.0, 1.0}) {
            // A cone: the radius grows towards the middle.
            d.polygon({at(s * 90, 44), at(s * 90, -44), at(s * 66, -52), at(s * 66, 52)}, ink::plain, fill::shade);
            spring(d, at(s * 112, 0), {centre.x + s * 145, centre.y});
        }
        d.polygon({at(-112, 5), at(112, 5), at(112, -5), at(-112, -5)}, ink::plain, fill::paper);
        d.line({at(0, 70), at(0, -70)}, ink::dashed);
    };
    const p middle{165, 110};
    fixed_wall(d, {20, 85}, {20, 135});
    fixed_wall(d, {310, 135}, {310, 85});
    front(middle, 0.05);
    for (const double s : {-1.0, 1.0}) d.circle({middle.x + s * 80, middle.y + 64}, 12, ink::plain, fill::none);
    d.line({{middle.x, 25}, {middle.x, 195}}, ink::quiet);
    d.symbol({middle.x + 12, 36}, "φ", anchor::start).text({middle.x - 80, 205}, "rail").text({middle.x + 80, 205}, "rail");
    d.arrow({middle.x, 222}, {middle.x + 45, 222}, ink::accent).symbol({middle.x + 52, 226}, "x", anchor::start, ink::accent);
    d.arrow({middle.x, 222}, {middle.x, 190}, ink::accent).symbol({middle.x - 6, 204}, "y", anchor::end, ink::accent);
    d.text({middle.x, 248}, "from the front");
    // From above.
    const p above{490, 110};
    for (const double s : {-1.0, 1.0})
        d.line({{above.x + s * 78 - 3, 20}, {above.x + s * 78 - 3, 200}}, ink::quiet)
            .line({{above.x + s * 78 + 3, 20}, {above.x + s * 78 + 3, 200}}, ink::quiet);
    const double yaw = 0.16;
    const p axle{std::cos(yaw), std::sin(yaw)};
    const p ahead{std::sin(yaw), -std::cos(yaw)};
    const auto at = [&](double along, double forward) { return above + along * axle + forward * ahead; };
    for (const double s : {-1.0, 1.0}) d.polygon({at(s * 90, 44), at(s * 90, -44), at(s * 66, -52), at(s * 66, 52)}, ink::plain, fill::shade);
    d.polygon({at(-112, 5), at(112, 5), at(112, -5), at(-112, -5)}, ink::plain, fill::paper);
    d.line({above, at(0, 75)}, ink::dashed).arrow(above, {above.x, 22}, ink::accent);
    d.symbol({above.x + 10, 50}, "θ", anchor::start).symbol({above.x - 8, 36}, "z, v_0", anchor::end, ink::accent);
    d.text({above.x, 248}, "from above");
    return {std::move(d), "The wheels are cones on one axle. A wheelset that has moved to one side (x) rolls there on a larger circle, turns (θ), "
                          "comes back and overshoots. "
                          "The angles are drawn too large."};
}

// ---- Beam ----

std::vector<p> beam_shape(std::span<const double> angles, const placed& at)
{
    const double segment = 1.0 / static_cast<double>(angles.size());
    double x = 0;
    double y = 0;
    std::vector<p> shape{at(0, 0)};
    for (const double z : angles) {
        x += segment * std::cos(z);
        y += segment * std::sin(z);
        shape.push_back(at(x, y));
    }
    return shape;
}

schematic beam()
{
    const placed at{260, {60, 150}};
    drawing d(400, 215);
    fixed_wall(d, at(0, 0.14), at(0, -0.14));
    std::vector<double> angles;
    for (int k = 0; k < 40; ++k) angles.push_back(0.62 * (1 - std::pow(1 - k / 40.0, 2)));
    const auto shape = beam_shape(angles, at);
    d.line({at(0, 0), at(1.05, 0)}, ink::dashed).line(shape, ink::bold);
    d.arrow(shape.back(), shape.back() + p{-38, -38}, ink::accent).symbol(shape.back() + p{-44, -36}, "(F_x, F_y)", anchor::end, ink::accent);
    d.circle(shape.back(), 3, ink::accent, fill::solid);
    const p on = shape[24];
    d.line({on, on + p{60, 0}}, ink::quiet)
        .line({on, on + 60.0 * direction(shape[23], shape[25])}, ink::quiet)
        .symbol(on + p{46, -10}, "θ(s, t)", anchor::start);
    d.text(at(0.02, -0.16) + p{0, 8}, "clamped", anchor::start).text(at(0.55, -0.05), "at rest", anchor::middle, ink::quiet);
    return {std::move(d),
            "The beam is clamped at the left; a force at its free end bends it and stops at t = π. The equations describe the angle θ along "
            "the beam."};
}

// ---- Stars and points ----

schematic stars(const problem& m)
{
    constexpr int count = 7;
    const auto y = m.in<double>().initial_values();
    const placed at{38, {190, 180}};
    drawing d(390, 370);
    d.line({at(-4.6, 0), at(4.6, 0)}, ink::quiet).line({at(0, -4.6), at(0, 4.6)}, ink::quiet);
    for (std::size_t k = 0; k < count; ++k) {
        const p here = at(y[k], y[count + k]);
        const p velocity{y[2 * count + k], y[3 * count + k]};
        if (velocity.x != 0 || velocity.y != 0) d.arrow(here, at(y[k] + velocity.x, y[count + k] + velocity.y), ink::accent);
        const double mass = value(m, fmt::format("m{}", k + 1));
        d.circle(here, 3.5 * std::sqrt(std::max(mass, 0.2)), ink::plain, fill::solid);
        d.text(here + p{11, -8}, std::to_string(k + 1), anchor::start);
    }
    return {std::move(d), "The seven stars at the start: the areas of the discs are their masses, the arrows the velocities of those that move."};
}

schematic sphere(const problem& m)
{
    const auto& r = *m.reference();
    const std::size_t count = r.value.size() / 8;
    const placed at{120, {140, 140}};
    drawing d(280, 280);
    d.circle(at(0, 0), 120, ink::plain, fill::none);
    struct dot {
        p where;
        double depth;
    };
    std::vector<dot> dots;
    // Seen from a little above: the equator is an ellipse.
    constexpr double tilt = 0.35;
    std::vector<p> near_half;
    std::vector<p> far_half;
    for (int k = 0; k <= 40; ++k) {
        const double angle = std::numbers::pi * k / 40;
        near_half.push_back(at(std::cos(angle), -std::sin(tilt) * std::sin(angle)));
        far_half.push_back(at(std::cos(angle), std::sin(tilt) * std::sin(angle)));
    }
    d.line(far_half, ink::dashed).line(near_half, ink::quiet);
    for (std::size_t k = 0; k < count; ++k) {
        const double x = r.value[3 * k].value();
        const double y = r.value[3 * k + 1].value();
        const double z = r.value[3 * k + 2].value();
        dots.push_back({at(x, z * std::cos(tilt) - y * std::sin(tilt)), -y * std::cos(tilt) - z * std::sin(tilt)});
    }
    std::ranges::sort(dots, {}, &dot::depth);
    for (const auto& one : dots)
        d.circle(one.where, one.depth > 0 ? 5.5 : 4, one.depth > 0 ? ink::accent : ink::quiet, one.depth > 0 ? fill::solid : fill::paper);
    return {std::move(d), "The twenty points at the end, on the sphere: filled on the near side, hollow on the far side."};
}

drawing frame_of(double width, double height, double t, std::string_view unit)
{
    drawing d(width, height);
    d.text({8, 16}, fmt::format("t = {:.3g}{}{}", t, unit.empty() ? "" : " ", unit), anchor::start, ink::quiet);
    return d;
}

std::vector<int> first_components(int n)
{
    std::vector<int> all(static_cast<std::size_t>(n));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

std::vector<double> shares(int count)
{
    std::vector<double> all;
    for (int k = 0; k < count; ++k) all.push_back(static_cast<double>(k) / (count - 1));
    return all;
}

} // namespace

std::optional<schematic> mechanism(const problem& m)
{
    const std::string& id = m.id();
    if (id == "andrews") return squeezing_mechanism();
    if (id == "crank") return slider_crank();
    if (id == "caraxis") return car_axis();
    if (id == "wheel") return wheelset();
    if (id == "beam") return beam();
    if (id == "plei") return stars(m);
    if (id == "fekete" && m.reference()) return sphere(m);
    return std::nullopt;
}

} // namespace ivp::schematics

namespace ivp {

using namespace schematics;

std::optional<motion> motion_of(const problem& m)
{
    if (m.id() == "andrews")
        return motion{first_components(7), shares(8), "The mechanism at eight times", [](double t, std::span<const double> y) {
                          drawing d = frame_of(270, 250, t, "s");
                          draw_squeezer(d, squeezer_at(y), {2300, {190, 190}});
                          return d;
                      }};
    if (m.id() == "crank")
        return motion{
            {0, 2}, {0, 0.06, 0.12, 0.18, 0.24, 0.30, 0.36, 0.42}, "The mechanism during its first turn", [](double t, std::span<const double> y) {
                drawing d = frame_of(280, 150, t, "s");
                draw_slider(d, {370, {78, 82}}, crank_length, y[0], y[1]);
                return d;
            }};
    if (m.id() == "caraxis")
        return motion{{0, 1, 2, 3},
                      {0, 0.03, 0.06, 0.09, 0.12, 0.15, 0.18, 0.21},
                      "The axis on its way over the first bump",
                      [m](double t, std::span<const double> y) {
                          drawing d = frame_of(240, 160, t, "s");
                          const double yb = value(m, "h") * std::sin(value(m, "omega") * t);
                          draw_axis(d, {140, {50, 128}}, {std::sqrt(1 - yb * yb), yb}, {y[0], y[1]}, {y[2], y[3]});
                          return d;
                      }};
    if (m.id() == "beam")
        return motion{first_components(m.n() / 2), shares(8), "The shape of the beam at eight times", [](double t, std::span<const double> y) {
                          drawing d = frame_of(240, 230, t, "");
                          const placed at{150, {30, 168}};
                          fixed_wall(d, at(0, 0.12), at(0, -0.12));
                          d.line({at(0, 0), at(1.05, 0)}, ink::dashed).line(beam_shape(y, at), ink::bold);
                          return d;
                      }};
    return std::nullopt;
}

} // namespace ivp
