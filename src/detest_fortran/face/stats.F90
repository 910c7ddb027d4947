#include "variant.inc"
! STATS(X, Y, ERRBND, ERREST): METHOD calls it after each accepted step. It may set X = XEND: METHOD is to return then.
subroutine stats(x, y, errbnd, errest)
  use ivp_detest_engine
  use ivp_detest_timing
  implicit none
  real(RK) :: x, y(*), errbnd, errest(*)
#include "com1.inc"
#include "com2.inc"
#include "com6.inc"
  real, external :: clock
  real(c_double), target :: estimate(DIM)
  type(c_ptr) :: estimate_if_any
  real :: before
  integer(c_int) :: factorisations
  if (iflag == 0) return
  before = clock(started)
  estimate_if_any = c_null_ptr
  if (opt >= 4) then ! below it need not be there
    estimate(1:n) = real(errest(1:n), c_double)
    estimate_if_any = c_loc(estimate)
  end if
#ifdef IVP_STIFF
  factorisations = nlud1
#else
  factorisations = 0
#endif
  if (detest_step(real(x, c_double), real(y(1:n), c_double), real(errbnd, c_double), estimate_if_any, factorisations) /= 0) x = xend
  in_stats = in_stats + (clock(started) - before)
end subroutine
