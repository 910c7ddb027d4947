#include "variant.inc"
! FCN(X, Y, YP): the derivatives of the current problem, which COMMON tells. Counted.
subroutine fcn(x, y, yp)
  use ivp_detest_engine
  implicit none
  external :: detest_refuse
  real(RK) :: x, y(*), yp(*)
#include "com5.inc"
#include "com6.inc"
#ifdef IVP_SINGLE
  real(c_double) :: derivatives(DIM)
#endif
  nfcn1 = nfcn1 + 1
#ifdef IVP_SINGLE
  if (detest_f(IS_STIFF, id1, iwt1, real(x, c_double), real(y(1:n1), c_double), derivatives) == 0) call detest_refuse('FCN: there is no such problem')
  yp(1:n1) = real(derivatives(1:n1))
#else
  if (detest_f(IS_STIFF, id1, iwt1, x, y, yp) == 0) call detest_refuse('FCN: there is no such problem')
#endif
end subroutine

! Where this is, ours is the one in use.
subroutine detest_own_fcn() bind(C, name='ivp_detest_own_fcn')
end subroutine
