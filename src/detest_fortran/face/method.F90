#include "variant.inc"
! In place of the METHOD that a program does not have, such as one that computes weights.
subroutine method(n, x, y, xend, tol, hmax, hstart)
  use, intrinsic :: iso_c_binding
  implicit none
  external :: detest_refuse
  integer :: n
  real(RK) :: x, y(n), xend, tol, hmax, hstart
  call detest_refuse('there is no METHOD in this program, and nothing can be assessed without one')
end subroutine
