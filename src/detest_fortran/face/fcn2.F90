#include "variant.inc"
! FCN as DVERK calls it.
subroutine fcn2(n, x, y, yp)
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: n
  real(RK) :: x, y(n), yp(n)
  external :: fcn
  call fcn(x, y, yp)
end subroutine
