! REAL FUNCTION CLOCK(S): S = CLOCK(0.0) resets, CLOCK(S) tells the processor seconds since. A program may have its own in place of this one.
real function clock(s)
  implicit none
  integer, parameter :: dp = kind(1d0)
  real, intent(in) :: s
  real(dp), save :: origin = 0
  real, save :: origin_told = 0
  real(dp) :: now
  call cpu_time(now)
  if (s == 0) then
    origin = now
    origin_told = max(real(now), tiny(1.0)) ! a reset must not look like another one
    clock = origin_told
  else if (s == origin_told) then
    clock = real(now - origin) ! S has too few digits for short times
  else
    clock = real(now - s)
  end if
end function
