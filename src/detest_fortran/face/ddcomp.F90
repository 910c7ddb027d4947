#include "variant.inc"
! DDCOMP(NDIM, N, A, NPIV, IND): A = L U with row pivoting; the rows stay where they are, NPIV(i) is the one that is eliminated with as the i-th. IND = -1:
! a pivot vanishes beside 1. Counted.
subroutine ddcomp(ndim, n, a, npiv, ind)
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: ndim, n, npiv(n), ind
  real(RK) :: a(ndim, n)
#include "com6.inc"
  integer :: i, k, best, row
  real(RK) :: multiplier
  nlud1 = nlud1 + 1
  ind = 0
  npiv = [(i, i=1, n)]
  if (n == 1) return
  do i = 1, n
    best = i - 1 + maxloc(abs(a(npiv(i:n), i)), dim=1)
    npiv([i, best]) = npiv([best, i])
    if (1 + abs(a(npiv(i), i)) == 1) then
      ind = -1
      cycle
    end if
    do k = i + 1, n
      row = npiv(k)
      multiplier = a(row, i)/a(npiv(i), i)
      a(row, i) = multiplier
      a(row, i + 1:n) = a(row, i + 1:n) - multiplier*a(npiv(i), i + 1:n)
    end do
  end do
end subroutine
