#include "variant.inc"
! FCN(X, Y, YP): the derivatives of the current problem, which COMMON names. Counted.
subroutine fcn(x, y, yp)
  use ivp_detest_engine
  implicit none
  external :: detest_refuse
  real(RK) :: x, y(*), yp(*)
#include "com5.inc"
#include "com6.inc"
#ifdef IVP_SINGLE
  real(c_double) :: derivatives(DIM)
#endif
  integer(c_int) :: answer
  ! The formula of the problem that the last call was about, called straight: a METHOD does little else.
  integer, save :: id_found = -huge(0), iwt_found = 0
  type(c_ptr), save :: self = c_null_ptr
  procedure(detest_formula), pointer, save :: formula => null()
  nfcn1 = nfcn1 + 1
  if (id1 /= id_found .or. iwt1 /= iwt_found) call find
#ifdef IVP_SINGLE
  answer = formula(self, real(x, c_double), real(y(1:n1), c_double), derivatives)
  if (answer /= 0) call detest_mark_refused(IS_STIFF, id1, iwt1, answer, derivatives)
  yp(1:n1) = real(derivatives(1:n1))
#else
  answer = formula(self, x, y, yp)
  if (answer /= 0) call detest_mark_refused(IS_STIFF, id1, iwt1, answer, yp)
#endif
contains
  subroutine find
    type(detest_function) :: found
    if (detest_find(IS_STIFF, id1, iwt1, found) == 0) call detest_refuse('FCN: there is no such problem')
    call c_f_procpointer(found%formula, formula)
    self = found%self
    id_found = id1
    iwt_found = iwt1
  end subroutine
end subroutine

! Where this is, ours is the one in use.
subroutine detest_own_fcn() bind(C, name='ivp_detest_own_fcn')
end subroutine
