! Readings of CLOCK. METHOD is timed from one to the next.
module ivp_detest_timing
  implicit none
  real :: started = 0      ! what CLOCK(0.0) gave
  real :: last_reading = 0 ! seconds since then
end module
