! The reading of CLOCK that a run of METHOD is timed by: STATS takes its own time out.
module ivp_detest_timing
  implicit none
  real :: started = 0     ! what CLOCK(0.0) gave
  real :: in_stats = 0
end module
