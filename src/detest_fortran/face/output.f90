! All output of the package: to the unit that CONST(3) names, so that OPEN redirects it. A length below 0: no line follows for a while.
subroutine detest_put_line(text, length) bind(C, name='ivp_detest_put_line')
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), value :: length
  character(kind=c_char), intent(in) :: text(*)
  real, external :: const
  character(len=max(0, length)) :: line
  integer :: unit, i
  unit = int(const(3))
  if (length < 0) then
    flush (unit)
    return
  end if
  do i = 1, length
    line(i:i) = text(i)
  end do
  write (unit, '(a)') line
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
