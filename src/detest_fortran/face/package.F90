#include "variant.inc"
! NSDTST or STDTST, and what the engine asks of the Fortran side. With IVP_DEBUG the dummy that shows the first steps.
module ivp_detest_package
  use ivp_detest_engine
  use ivp_detest_program_true
  use ivp_detest_timing
  implicit none
contains

  subroutine begin_task(task) bind(C, name='ivp_detest_face_begin_task')
    type(detest_task), intent(in) :: task
    real(c_double), pointer :: weight(:)
#include "com1.inc"
#include "com2.inc"
#include "com5.inc"
    errtol = real(task%tol, RK)
    id = task%id
    iwt = task%scaled
    xend = real(task%xend, RK)
    n = task%n
    call c_f_pointer(task%weight, weight, [task%n])
    wt(1:n) = real(weight, RK)
    iwt1 = iwt
    n1 = n
    id1 = id
  end subroutine

  subroutine end_task(row) bind(C, name='ivp_detest_face_end_task')
    type(detest_row), intent(in) :: row
#include "com2.inc"
#include "com3.inc"
    hstart = real(row%start_step, RK)
    indl = row%local_flag
    indg = row%global_flag
    xfin = real(row%x_reached, RK)
    xtrue = real(row%x_true, RK)
    time = row%time
    ovhd = row%overhead
    trutim = row%truth_time
    gend = row%end_error
    gemx = row%max_global_error
    lemxsc = row%max_local_error
    nfcn = row%fcn
#ifdef IVP_STIFF
    njac = row%jac
    nlud = row%lud
#endif
    nstp = row%steps
    nstl = row%lumped
    ndcv = row%deceived
    nbad = row%badly_deceived
    ntru = row%assessed
    nstart = row%start_calls
  end subroutine

  subroutine call_method(phase, order, x, y, to, tol, hmax, h0, counts, seconds) bind(C, name='ivp_detest_face_call_method')
    integer(c_int), value :: phase, order
    real(c_double), intent(inout) :: x, y(order)
    real(c_double), value :: to, tol, hmax, h0
    type(detest_counts), intent(out) :: counts
    real(c_double), intent(out) :: seconds
#include "com2.inc"
#include "com6.inc"
    external :: method
    real, external :: clock
    integer, parameter :: timing = 0, starting = 2
    integer :: n_given
    real :: reading
    real(RK) :: x_given, y_given(DIM), xend_given, tol_given, hmax_given, hstart_given ! METHOD may write into what it is given
    hstart = real(h0, RK)
    n_given = order
    x_given = real(x, RK)
    y_given(1:order) = real(y, RK)
    xend_given = real(to, RK)
    tol_given = real(tol, RK)
    hmax_given = real(hmax, RK)
    hstart_given = hstart
    nfcn1 = 0
#ifdef IVP_STIFF
    njac1 = 0
    nlud1 = 0
#endif
    ! One reset for all repetitions, and none for the start, whose time nobody asks for.
    if (phase /= starting .and. .not. (phase == timing .and. iflag == timing .and. last_reading > 0)) then
      last_reading = 0
      started = clock(0.0)
    end if
    iflag = phase
    call method(n_given, x_given, y_given, xend_given, tol_given, hmax_given, hstart_given)
    seconds = 0
    if (phase /= starting) then
      reading = clock(started)
      seconds = reading - last_reading
      last_reading = merge(reading, 0.0, phase == timing)
    end if
    iflag = timing
    if (x_given >= xend) then
      x = to
    else
      x = real(x_given, c_double)
    end if
    y = real(y_given(1:order), c_double)
#ifdef IVP_STIFF
    counts = detest_counts(nfcn1, njac1, nlud1)
#else
    counts = detest_counts(nfcn1, 0, 0)
#endif
  end subroutine

  subroutine call_ivalu(id, scaled, start) bind(C, name='ivp_detest_face_start')
    integer(c_int), value :: id, scaled
    type(detest_start), intent(out) :: start
    external :: ivalu
    integer :: n_found, id_given, iwt_given
    real(RK) :: x, to, h0, h1, y(DIM), w(DIM)
    real :: seconds(3)
    id_given = id
    iwt_given = scaled
    seconds = 0
    y = 0
    w = 1
    n_found = 0
#ifdef IVP_STIFF
    call ivalu(n_found, x, to, h0, h1, y, seconds(1), seconds(2), seconds(3), w, iwt_given, id_given)
#else
    call ivalu(n_found, x, to, h0, h1, y, seconds(1), w, iwt_given, id_given)
#endif
    start%n = n_found
    start%x = real(x, c_double)
    start%xend = real(to, c_double)
    start%hbegin = real(h0, c_double)
    start%hmax = real(h1, c_double)
    start%y(1:DIM) = real(y, c_double)
    start%w(1:DIM) = real(w, c_double)
    start%seconds = real(seconds, c_double)
  end subroutine

  subroutine call_evalu(order, w, scaled, id, y) bind(C, name='ivp_detest_face_end_values')
    integer(c_int), value :: order, scaled, id
    real(c_double), intent(in) :: w(order)
    real(c_double), intent(inout) :: y(order)
    external :: evalu
    integer :: n_given, iwt_given, id_given
    real(RK) :: w_given(DIM), values(DIM)
    n_given = order
    iwt_given = scaled
    id_given = id
    w_given = 1
    w_given(1:order) = real(w, RK)
    values = 0
    call evalu(values, n_given, w_given, iwt_given, id_given)
    y = real(values(1:order), c_double)
  end subroutine

  real(c_float) function call_difnrm(order, a, b) bind(C, name='ivp_detest_face_distance')
    integer(c_int), value :: order
    real(c_double), intent(in) :: a(order), b(order)
    real, external :: difnrm
    real(RK) :: a_given(DIM), b_given(DIM)
    integer :: n_given
    n_given = order
    a_given(1:order) = real(a, RK)
    b_given(1:order) = real(b, RK)
    call_difnrm = difnrm(a_given, b_given, n_given)
  end function

  subroutine unit_costs(order, x, y, seconds) bind(C, name='ivp_detest_face_unit_costs')
    integer(c_int), value :: order
    real(c_double), value :: x
    real(c_double), intent(in) :: y(order)
    real(c_double), intent(out) :: seconds(3)
    seconds = 0
    seconds(1) = seconds_of(1, x, y)
#ifdef IVP_STIFF
    seconds(2) = seconds_of(2, x, y)
    seconds(3) = seconds_of(3, x, y)
#endif
  end subroutine

  ! Of one FCN (1), PDERV (2) or DDCOMP (3): the least of some batches of calls, which are made longer until the two least agree, or one takes a third of
  ! TSTTIM. What disturbs a batch only makes it longer. A clock that stands still gives 0.
  real(c_double) function seconds_of(kind, x, y)
    integer, intent(in) :: kind
    real(c_double), intent(in) :: x, y(:)
    external :: fcn
    real, external :: const, clock
    integer, parameter :: most_batches = 4, growth = 4
    real, parameter :: agreement = 1.1
    real(RK) :: point, at(DIM), values(DIM*DIM)
    real :: enough, short, patience, begin, spent, least, second
    integer(c_int64_t) :: calls, k, tick, rate, tock
    integer :: batches
#ifdef IVP_STIFF
    external :: pderv, ddcomp
    real(RK) :: matrix(DIM*DIM), jacobian(DIM*DIM)
    integer :: order, i, pivots(DIM), singular
    order = size(y)
#endif
    point = real(x, RK)
    at(1:size(y)) = real(y, RK)
#ifdef IVP_STIFF
    call pderv(point, at, jacobian)
    jacobian(1:order**2) = -real(0.1d0, RK)*jacobian(1:order**2)
    do i = 1, order
      jacobian(i + (i - 1)*order) = jacobian(i + (i - 1)*order) + 1
    end do
#endif
    enough = const(4)
    patience = max(0.1, enough)
    enough = enough/3
    short = enough/800
    calls = 1
    batches = 0
    call system_clock(tick, rate)
    do
      begin = clock(0.0)
      select case (kind)
      case (1)
        do k = 1, calls
          call fcn(point, at, values)
        end do
#ifdef IVP_STIFF
      case (2)
        do k = 1, calls
          call pderv(point, at, values)
        end do
      case (3)
        do k = 1, calls
          matrix(1:order**2) = jacobian(1:order**2)
          call ddcomp(order, order, matrix, pivots, singular)
        end do
#endif
      end select
      spent = clock(begin)
      call system_clock(tock)
      if (spent >= enough .or. real(tock - tick) > patience*real(rate)) then
        seconds_of = real(spent, c_double)/real(calls, c_double)
        return
      end if
      if (spent < short) then ! the next one takes a little longer than that
        calls = 1 + int(real(calls)*min(real(growth), 1.2*short/max(spent, tiny(spent))), c_int64_t)
        batches = 0
        cycle
      end if
      batches = batches + 1
      if (batches == 1) then
        least = spent
        second = huge(second)
      else
        second = min(second, max(least, spent))
        least = min(least, spent)
      end if
      if (second <= agreement*least) exit
      if (batches < most_batches) cycle
      calls = growth*calls
      batches = 0
    end do
    seconds_of = real(least, c_double)/real(calls, c_double)
  end function

end module

subroutine PACKAGE(title, option, tol, idlist, flag)
  use ivp_detest_package
  implicit none
  character(len=*), target :: title
  integer, target :: option(10), idlist(*)
  real, target :: tol(*)
  real :: flag
  interface
    subroutine detest_put_line(text, length) bind(C, name='ivp_detest_put_line')
      import
      integer(c_int), value :: length
      character(kind=c_char), intent(in) :: text(length)
    end subroutine
  end interface
#include "com1.inc"
  external :: fcn, ivalu, true, parchk
#ifdef IVP_STIFF
  external :: pderv
#endif
  real, external :: const, difnrm
  integer, parameter :: name_length = 32, most_groups = 60
  character(len=name_length), target :: machine
  type(detest_call) :: call
  integer, target :: grplst(2, most_groups)
  integer :: i, ntol, ngrp
  real :: lgtol(most_groups)
  opt = option(1)
  nrmtyp = option(3)
  xtrap = option(4)
  if (const(0) /= 0) continue ! set-up of the machine
  iout = int(const(3))
  do i = 1, name_length
    machine(i:i) = char(int(const(-i)))
  end do
  call%stiff = IS_STIFF
  call%single = IS_SINGLE
#ifdef IVP_DEBUG
  call%debug = 1
#else
  call%debug = 0
#endif
  call parchk(option(1), option(2), option(3), tol, idlist, ntol, ngrp, grplst, lgtol, flag)
  call%flag = flag
  call%ntol = ntol
  call%ngrp = ngrp
  call%grplst = c_loc(grplst)
  call%title = c_loc(title)
  call%title_length = len(title)
  call%machine = c_loc(machine)
  call%machine_length = name_length
  call%option = c_loc(option)
  call%tol = c_loc(tol)
  call%idlist = c_loc(idlist)
  call%roundoff = const(1)
  call%underflow = const(2)
  call%timing = const(4)
  call%truth = const(5)
  call%fcn = c_funloc(fcn)
  call%own_problems = detest_is_own(0_c_int, c_funloc(fcn))*detest_is_own(2_c_int, c_funloc(ivalu))
#ifdef IVP_STIFF
  call%pderv = c_funloc(pderv)
  call%own_problems = call%own_problems*detest_is_own(1_c_int, c_funloc(pderv))
#else
  call%pderv = c_null_funptr
#endif
  call%start = c_funloc(call_ivalu)
  call%end_values = c_funloc(call_evalu)
  call%begin_task = c_funloc(begin_task)
  call%end_task = c_funloc(end_task)
  call%method = c_funloc(call_method)
  call%unit_costs = c_funloc(unit_costs)
  call%put_line = c_funloc(detest_put_line)
  call%program_truth = c_null_funptr
  if (detest_is_own(3_c_int, c_funloc(true)) == 0) call%program_truth = c_funloc(call_true)
  call%distance = c_null_funptr
  if (detest_is_own(4_c_int, c_funloc(difnrm)) == 0) call%distance = c_funloc(call_difnrm)
  flag = detest_run(call)
end subroutine
