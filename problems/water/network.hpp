// The tubes of the water tube system, which the equations and the drawing share.
#ifndef IVP_PROBLEMS_WATER_NETWORK_HPP
#define IVP_PROBLEMS_WATER_NETWORK_HPP

#include <array>

namespace ivp::problems {

/// Flow from the first node to the second counts as positive.
struct water_tube {
    int from, to;
};

inline constexpr std::array water_network = {
    water_tube{1, 2},  water_tube{2, 3},  water_tube{2, 6},   water_tube{3, 4},  water_tube{3, 5},  water_tube{4, 5},
    water_tube{5, 10}, water_tube{6, 5},  water_tube{7, 4},   water_tube{7, 8},  water_tube{8, 5},  water_tube{8, 10},
    water_tube{9, 8},  water_tube{11, 9}, water_tube{11, 12}, water_tube{12, 7}, water_tube{12, 8}, water_tube{13, 11},
};

} // namespace ivp::problems

#endif
