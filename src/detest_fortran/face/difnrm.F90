#include "variant.inc"
! DIFNRM(A, B, N): the norm of A - B that NRMTYP in COMMON asks for, in single precision.
real function difnrm(a, b, n)
  use ivp_detest_engine
  implicit none
  integer :: n
  real(RK) :: a(n), b(n)
#include "com1.inc"
  difnrm = detest_distance(nrmtyp, n, real(a, c_double), real(b, c_double))
end function

subroutine detest_own_difnrm() bind(C, name='ivp_detest_own_difnrm')
end subroutine
