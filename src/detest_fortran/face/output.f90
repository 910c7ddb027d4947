! All output of the package: to the unit that CONST(3) names, so that OPEN redirects it.
subroutine detest_put_line(text, length) bind(C, name='ivp_detest_put_line')
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), value :: length
  character(kind=c_char), intent(in) :: text(length)
  real, external :: const
  integer :: unit
  unit = int(const(3))
  write (unit, '(*(a))') text
  flush (unit)
end subroutine

! What cannot be done is said there too, and ends the program.
subroutine detest_refuse(text)
  use, intrinsic :: iso_c_binding
  implicit none
  character(len=*), intent(in) :: text
  real, external :: const
  write (int(const(3)), '(1x,a)') text
  stop 1
end subroutine
