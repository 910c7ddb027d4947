#include "variant.inc"
! REAL FUNCTION CONST(I): constants of the machine. A program may have its own in place of this one.
!   1 unit roundoff of the precision that METHOD works in    2 a number near the underflow threshold
!   3 output unit                                            4 TSTTIM: seconds that each timing takes, 0: nothing is timed
!   5 precision of true solutions, 0: double, else that of METHOD
!   -1 ... -32 the characters of the machine's name          0 called once at the start
real function const(i)
  use ivp_detest_engine
  implicit none
  integer, intent(in) :: i
#ifdef IVP_SINGLE
  real, parameter :: value(4) = [5.96e-8, 1e-37, 6.0, 0.05]
#else
  real, parameter :: value(4) = [2.22e-16, 1e-37, 6.0, 0.05]
#endif
  integer, parameter :: length = 32
  character(kind=c_char) :: name(length)
  select case (i)
  case (1:4)
    const = value(i)
  case (-length:-1)
    call detest_machine(name, length)
    const = ichar(name(-i))
  case default
    const = 0
  end select
end function
