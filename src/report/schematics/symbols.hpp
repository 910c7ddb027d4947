// The signs that schematics are made of: parts of circuits and of mechanisms. Those with two ends go from a to b, with their body in the middle.
#ifndef IVP_SRC_REPORT_SCHEMATICS_SYMBOLS_HPP
#define IVP_SRC_REPORT_SCHEMATICS_SYMBOLS_HPP

#include "base/drawing.hpp"

#include <string_view>

namespace ivp::schematics {

/// On which side of the way from a to b the name is written.
enum class side { right, left };

void resistor(drawing& d, drawn_point a, drawn_point b, std::string_view name, side where = side::right);
void capacitor(drawing& d, drawn_point a, drawn_point b, std::string_view name, side where = side::right);
void inductor(drawing& d, drawn_point a, drawn_point b, std::string_view name, side where = side::right);
void diode(drawing& d, drawn_point a, drawn_point b, std::string_view name, side where = side::right);
/// A source of a voltage that changes with time.
void source(drawing& d, drawn_point a, drawn_point b, std::string_view name, side where = side::right);
void ground(drawing& d, drawn_point at);
/// A place that has a voltage of its own: a dot with its number.
void node(drawing& d, drawn_point at, std::string_view name, drawn_point name_at);
/// A dot where wires meet.
void joint(drawing& d, drawn_point at);

struct transistor_ends {
    drawn_point gate;
    drawn_point drain;  ///< above
    drawn_point source; ///< below
};
/// Its gate is at the left.
transistor_ends transistor(drawing& d, drawn_point at, std::string_view name);

/// Where a mechanism is fixed to the ground.
void bearing(drawing& d, drawn_point at);
/// Where two bodies turn about each other.
void hinge(drawing& d, drawn_point at);
void spring(drawing& d, drawn_point a, drawn_point b, ink pen = ink::plain);
/// Fixed ground below a horizontal line, or beside a vertical one (on the right of the way from a to b).
void fixed_wall(drawing& d, drawn_point a, drawn_point b);

} // namespace ivp::schematics

#endif
