! engine.h for Fortran.
module ivp_detest_engine
  use, intrinsic :: iso_c_binding
  implicit none

  type, bind(C) :: detest_task
    real(c_double) :: tol, xend
    integer(c_int) :: n, id, scaled
    type(c_ptr) :: weight
  end type

  type, bind(C) :: detest_counts
    integer(c_int) :: fcn, jac, lud
  end type

  type, bind(C) :: detest_row
    real(c_double) :: x_reached, x_true, start_step
    real(c_float) :: time, overhead, truth_time, end_error, max_global_error, max_local_error
    integer(c_int) :: fcn, jac, lud, steps, lumped, deceived, badly_deceived, assessed, start_calls
    integer(c_int) :: global_flag, local_flag
  end type

  type, bind(C) :: detest_start
    integer(c_int) :: n
    real(c_double) :: x, xend, hbegin, hmax
    real(c_double) :: y(60), w(60), seconds(3)
  end type

  type, bind(C) :: detest_call
    integer(c_int) :: stiff, single, debug
    type(c_ptr) :: title
    integer(c_int) :: title_length
    type(c_ptr) :: machine
    integer(c_int) :: machine_length
    type(c_ptr) :: option, tol, idlist
    integer(c_int) :: ntol, ngrp
    type(c_ptr) :: grplst
    real(c_float) :: flag
    real(c_float) :: roundoff, underflow, timing, truth
    type(c_funptr) :: fcn, pderv
    integer(c_int) :: own_problems
    type(c_funptr) :: start, end_values, begin_task, end_task, method, unit_costs, put_line, program_truth, distance
  end type

  type, bind(C) :: detest_function
    type(c_funptr) :: formula
    type(c_ptr) :: self
  end type

  abstract interface
    integer(c_int) function detest_formula(self, x, y, yp) bind(C)
      import
      type(c_ptr), value :: self
      real(c_double), value :: x
      real(c_double), intent(in) :: y(*)
      real(c_double), intent(inout) :: yp(*)
    end function
  end interface

  interface
    real(c_float) function detest_run(call) bind(C, name='ivp_detest_run')
      import
      type(detest_call), intent(in) :: call
    end function

    ! FLAG of these arguments, and the groups in them.
    real(c_float) function detest_check(stiff, opt, normef, nrmtyp, tol, idlist, ntol, ngrp, grplst) bind(C, name='ivp_detest_check')
      import
      integer(c_int), value :: stiff, opt, normef, nrmtyp
      real(c_float), intent(in) :: tol(*)
      integer(c_int), intent(in) :: idlist(*)
      integer(c_int), intent(out) :: ntol, ngrp
      integer(c_int), intent(inout) :: grplst(2, *)
    end function

    real(c_float) function detest_distance(nrmtyp, n, a, b) bind(C, name='ivp_detest_distance')
      import
      integer(c_int), value :: nrmtyp, n
      real(c_double), intent(in) :: a(*), b(*)
    end function

    ! Which of FCN (0), PDERV (1), IVALU (2), TRUE (3), DIFNRM (4) the routine is, if it is ours.
    integer(c_int) function detest_is_own(which, routine) bind(C, name='ivp_detest_face_is_own')
      import
      integer(c_int), value :: which
      type(c_funptr), value :: routine
    end function

    integer(c_int) function detest_step(x, y, bound, estimate, lud) bind(C, name='ivp_detest_step')
      import
      real(c_double), value :: x, bound
      real(c_double), intent(in) :: y(*)
      type(c_ptr), value :: estimate
      integer(c_int), value :: lud
    end function

    integer(c_int) function detest_find(stiff, id, scaled, found) bind(C, name='ivp_detest_find')
      import
      integer(c_int), value :: stiff, id, scaled
      type(detest_function), intent(out) :: found
    end function

    subroutine detest_mark_refused(stiff, id, scaled, answer, yp) bind(C, name='ivp_detest_mark_refused')
      import
      integer(c_int), value :: stiff, id, scaled, answer
      real(c_double), intent(inout) :: yp(*)
    end subroutine

    integer(c_int) function detest_jacobian(stiff, id, scaled, x, y, dy) bind(C, name='ivp_detest_jacobian')
      import
      integer(c_int), value :: stiff, id, scaled
      real(c_double), value :: x
      real(c_double), intent(in) :: y(*)
      real(c_double), intent(inout) :: dy(*)
    end function

    integer(c_int) function detest_initial(stiff, id, scaled, n, x, xend, hbegin, hmax, y, w) bind(C, name='ivp_detest_initial')
      import
      integer(c_int), value :: stiff, id, scaled
      integer(c_int), intent(out) :: n
      real(c_double), intent(out) :: x, xend, hbegin, hmax
      real(c_double), intent(inout) :: y(*), w(*)
    end function

    integer(c_int) function detest_end(stiff, id, scaled, y) bind(C, name='ivp_detest_end')
      import
      integer(c_int), value :: stiff, id, scaled
      real(c_double), intent(inout) :: y(*)
    end function

    integer(c_int) function detest_dverk(single, n, fcn, x, y, xend, tol, ind, c, nw, w, roundoff, underflow, put_line) &
        bind(C, name='ivp_detest_dverk')
      import
      integer(c_int), value :: single, n, nw
      type(c_funptr), value :: fcn, put_line
      type(c_ptr), value :: x, y, xend, tol, c, w
      integer(c_int), intent(inout) :: ind
      real(c_float), value :: roundoff, underflow
    end function

    integer(c_int) function detest_secder(single, fcn, pderv, ndim, n, x, y, xend, tol, ind, c, inf, work, lud, roundoff, underflow, &
        put_line) bind(C, name='ivp_detest_secder')
      import
      integer(c_int), value :: single, ndim, n
      type(c_funptr), value :: fcn, pderv, put_line
      type(c_ptr), value :: x, y, xend, tol, c, work
      integer(c_int), intent(inout) :: ind, inf(*), lud
      real(c_float), value :: roundoff, underflow
    end function

    subroutine detest_machine(text, length) bind(C, name='ivp_detest_machine')
      import
      character(kind=c_char), intent(inout) :: text(*)
      integer(c_int), value :: length
    end subroutine
  end interface
end module
