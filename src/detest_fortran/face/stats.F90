#include "variant.inc"
! STATS(X, Y, ERRBND, ERREST): METHOD calls it after each accepted step. It may set X = XEND: METHOD is to return then.
subroutine stats(x, y, errbnd, errest)
  use ivp_detest_engine
  implicit none
  real(RK) :: x, y(*), errbnd, errest(*)
#include "com1.inc"
#include "com2.inc"
#include "com6.inc"
  real(c_double), target :: estimate(DIM)
  type(c_ptr) :: estimate_if_any
  integer :: calls
  integer(c_int) :: factorisations
#ifdef IVP_STIFF
  integer :: jacobians
#endif
  if (iflag == 0) return
  estimate_if_any = c_null_ptr
  if (opt >= 4) then ! below it need not be there
    estimate(1:n) = real(errest(1:n), c_double)
    estimate_if_any = c_loc(estimate)
  end if
  factorisations = 0
  calls = nfcn1
#ifdef IVP_STIFF
  jacobians = njac1
  factorisations = nlud1
#endif
#ifdef IVP_SINGLE
  if (detest_step(real(x, c_double), real(y(1:n), c_double), real(errbnd, c_double), estimate_if_any, factorisations) /= 0) x = xend
#else
  if (detest_step(x, y, errbnd, estimate_if_any, factorisations) /= 0) x = xend
#endif
  ! What true solutions cost is not METHOD's.
  nfcn1 = calls
#ifdef IVP_STIFF
  njac1 = jacobians
  nlud1 = factorisations
#endif
end subroutine
