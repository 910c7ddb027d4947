! Readings of CLOCK. METHOD is timed from one to the next; STATS reads it only around true solutions.
module ivp_detest_timing
  use, intrinsic :: iso_c_binding
  implicit none
  real :: started = 0      ! what CLOCK(0.0) gave
  real :: last_reading = 0 ! seconds since then
contains
  real(c_double) function seconds_since_start() bind(C, name='ivp_detest_face_clock')
    real, external :: clock
    seconds_since_start = real(clock(started), c_double)
  end function
end module
