#include "variant.inc"
! Start and data of problem ID (1 for A1, 13 for B3), divided by the weights where IWT is above 0. The times of calls are measured when they are needed,
! and 0 here.
#ifdef IVP_STIFF
subroutine ivalu(n, xstart, xend, hbegin, hmax, y, fcntim, jactim, ludtim, w, iwt, id)
#else
subroutine ivalu(n, xstart, xend, hbegin, hmax, y, fcntim, w, iwt, id)
#endif
  use ivp_detest_engine
  implicit none
  external :: detest_refuse
  integer :: n, iwt, id
  real(RK) :: xstart, xend, hbegin, hmax, y(*), w(*)
  real :: fcntim
  real(c_double) :: x0, x1, h0, h1, start(DIM), weight(DIM)
#ifdef IVP_STIFF
  real :: jactim, ludtim
  jactim = 0
  ludtim = 0
#endif
  fcntim = 0
  if (detest_initial(IS_STIFF, id, iwt, n, x0, x1, h0, h1, start, weight) == 0) call detest_refuse('IVALU: there is no such problem')
  xstart = real(x0, RK)
  xend = real(x1, RK)
  hbegin = real(h0, RK)
  hmax = real(h1, RK)
  y(1:n) = real(start(1:n), RK)
  w(1:n) = real(weight(1:n), RK)
end subroutine

! Where this is, ours is the one in use.
subroutine detest_own_ivalu() bind(C, name='ivp_detest_own_ivalu')
end subroutine
