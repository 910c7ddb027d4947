#include "variant.inc"
! The true solution at the end of problem ID, as the package of 1986 stores it.
subroutine evalu(y, n, w, iwt, id)
  use ivp_detest_engine
  implicit none
  external :: detest_refuse
  integer :: n, iwt, id
  real(RK) :: y(*), w(*)
  real(c_double) :: values(DIM)
  if (detest_end(IS_STIFF, id, -1_c_int, values) == 0) call detest_refuse('EVALU: there is no such problem')
  if (iwt > 0) then
    y(1:n) = real(values(1:n)/w(1:n), RK)
  else
    y(1:n) = real(values(1:n), RK)
  end if
end subroutine
