#include "variant.inc"
! DSOLVE(NDIM, N, LU, NPIV, B, X): X = A**-1 B with what DDCOMP made of A.
subroutine dsolve(ndim, n, lu, npiv, b, x)
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: ndim, n, npiv(n)
  real(RK) :: lu(ndim, n), b(n), x(n)
  integer :: i
  if (n == 1) then
    x(1) = b(1)/lu(1, 1)
    return
  end if
  x = b(npiv)
  do i = 2, n
    x(i) = x(i) - dot_product(lu(npiv(i), 1:i - 1), x(1:i - 1))
  end do
  do i = n, 1, -1
    x(i) = (x(i) - dot_product(lu(npiv(i), i + 1:n), x(i + 1:n)))/lu(npiv(i), i)
  end do
end subroutine
