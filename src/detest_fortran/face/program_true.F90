#include "variant.inc"
! TRUE as STATS calls it, where the program brings its own.
module ivp_detest_program_true
  use ivp_detest_engine
  implicit none
  private
  public :: call_true
#ifdef IVP_STIFF
  integer, parameter :: first_calls = 1000, more_calls = 100, local_calls = 500
  type :: communication
    real(RK) :: c(20) = 0, yp(DIM, 11), w(DIM*DIM), pd(DIM*DIM), wk(DIM, 12)
    integer :: inf(40) = 0
  end type
#else
  integer, parameter :: first_calls = 200, more_calls = 200, local_calls = 200
  type :: communication
    real(RK) :: c(24) = 0, w(DIM, 9)
  end type
#endif
  type(communication), save :: global, local
contains

  ! From X to XEND; IND = 2 begins anew. is_global: the solution that goes on from call to call.
  subroutine call_true(is_global, order, x, y, xend, tol, ind) bind(C, name='ivp_detest_face_call_true')
    integer(c_int), value :: is_global, order
    real(c_double), intent(inout) :: x, y(order)
    real(c_double), value :: xend, tol
    integer(c_int), intent(inout) :: ind
    if (is_global /= 0) then
      call integrate(global, first_calls, real(0, RK))
#ifdef IVP_STIFF
      global%inf(3) = global%inf(13) + more_calls
    else
      call integrate(local, local_calls, real(0, RK))
#else
      global%c(7) = global%c(24) + more_calls
    else
      call integrate(local, local_calls, real(0.8d0*global%c(14), RK))
#endif
    end if
  contains
    subroutine integrate(s, calls, first_step)
      type(communication), intent(inout) :: s
      integer, intent(in) :: calls
      real(RK), intent(in) :: first_step
      external :: true
      real(RK) :: x_given, y_given(DIM), xend_given, tol_given
      integer :: ind_given, n_given
#ifdef IVP_STIFF
      external :: fcn, pderv
      integer :: ndim
      ndim = DIM
      if (ind == 2) then
        s%c = 0
        s%inf = 0
        s%inf(1) = 1
        s%inf(3) = calls
        s%c(5) = first_step
      end if
      s%c(4) = real(1.1d0*(xend - x), RK)
#else
      external :: fcn2
      real, external :: const
      integer :: ndim
      ndim = DIM
      if (ind == 2) then
        s%c = 0
        s%c(1) = 1
        s%c(4) = first_step
        s%c(7) = calls
      end if
      s%c(3) = real(10*max(1d-30, const(1)*abs(xend)), RK)
      s%c(6) = real(1.1d0*(xend - x), RK)
#endif
      n_given = order
      x_given = real(x, RK)
      y_given(1:order) = real(y, RK)
      xend_given = real(xend, RK)
      tol_given = real(tol, RK)
      ind_given = ind
#ifdef IVP_STIFF
      call true(fcn, pderv, ndim, n_given, x_given, y_given, xend_given, tol_given, ind_given, s%c, s%inf, s%yp, s%w, s%pd, s%wk)
#else
      call true(n_given, fcn2, x_given, y_given, xend_given, tol_given, ind_given, s%c, ndim, s%w)
#endif
      ind = ind_given
      x = real(x_given, c_double)
      if (x_given == xend_given) x = xend
      y = real(y_given(1:order), c_double)
    end subroutine
  end subroutine
end module
