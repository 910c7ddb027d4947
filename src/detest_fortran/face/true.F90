#include "variant.inc"
! TRUE: the reliable solver of the package, DVERK or SECDER. A call that cannot be served ends the program, as in the original.
#ifdef IVP_STIFF
subroutine true(fcn, pderv, ndim, n, x, y, xend, tol, ind, c, inf, yp, w, pd, wk)
#else
subroutine true(n, fcn, x, y, xend, tol, ind, c, nw, w)
#endif
  use ivp_detest_engine
  implicit none
  integer :: n, ind
  real(RK), target :: x, y(n), xend, tol, c(*)
  external :: fcn
  real, external :: const
  interface
    subroutine detest_put_line(text, length) bind(C, name='ivp_detest_put_line')
      import
      integer(c_int), value :: length
      character(kind=c_char), intent(in) :: text(length)
    end subroutine
  end interface
#ifdef IVP_STIFF
  integer :: ndim, inf(*)
  real(RK) :: yp(*), w(*), pd(*) ! not needed here
  real(RK), target :: wk(ndim, *)
  external :: pderv
#include "com6.inc"
  if (detest_secder(IS_SINGLE, c_funloc(fcn), c_funloc(pderv), ndim, n, c_loc(x), c_loc(y), c_loc(xend), c_loc(tol), ind, c_loc(c), inf, &
                    c_loc(wk), nlud1, const(1), const(2), c_funloc(detest_put_line)) == 0) stop 1
#else
  integer :: nw
  real(RK), target :: w(nw, *)
  if (detest_dverk(IS_SINGLE, n, c_funloc(fcn), c_loc(x), c_loc(y), c_loc(xend), c_loc(tol), ind, c_loc(c), nw, c_loc(w), const(1), const(2), &
                   c_funloc(detest_put_line)) == 0) stop 1
#endif
end subroutine

! Where this is, ours is the one in use.
subroutine detest_own_true() bind(C, name='ivp_detest_own_true')
end subroutine
