! PARCHK: the arguments of NSDTST or STDTST checked. FLAG has a digit for each fault. Group I is the GRPLST(1, I) problems behind element GRPLST(2, I)
! of IDLIST; LGTOL are the logarithms of the tolerances. A program with problems of its own has its own PARCHK, which admits them.
#include "variant.inc"
subroutine parchk(opt, normef, nrmtyp, tol, idlist, ntol, ngrp, grplst, lgtol, flag)
  use ivp_detest_engine
  implicit none
  integer :: opt, normef, nrmtyp, idlist(*), ntol, ngrp, grplst(2, *)
  real :: tol(*), lgtol(*), flag
  integer :: i
  flag = detest_check(IS_STIFF, opt, normef, nrmtyp, tol, idlist, ntol, ngrp, grplst)
  if (flag /= 0) return
  do i = 1, ntol
    lgtol(i) = log10(tol(i))
  end do
end subroutine
