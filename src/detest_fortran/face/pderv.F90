#include "variant.inc"
! PDERV(X, Y, DY): df(i)/dy(j) of the current problem in DY(i + (j-1)*N). Counted.
subroutine pderv(x, y, dy)
  use ivp_detest_engine
  implicit none
  external :: detest_refuse
  real(RK) :: x, y(*), dy(*)
#include "com5.inc"
#include "com6.inc"
#ifdef IVP_SINGLE
  real(c_double) :: derivatives(DIM*DIM)
#endif
  njac1 = njac1 + 1
#ifdef IVP_SINGLE
  if (detest_jacobian(IS_STIFF, id1, iwt1, real(x, c_double), real(y(1:n1), c_double), derivatives) == 0) &
    call detest_refuse('PDERV: there is no such problem')
  dy(1:n1*n1) = real(derivatives(1:n1*n1))
#else
  if (detest_jacobian(IS_STIFF, id1, iwt1, x, y, dy) == 0) call detest_refuse('PDERV: there is no such problem')
#endif
end subroutine

! Where this is, ours is the one in use.
subroutine detest_own_pderv() bind(C, name='ivp_detest_own_pderv')
end subroutine
