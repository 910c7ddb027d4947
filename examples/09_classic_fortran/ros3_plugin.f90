! ROS3 (ros3.f), a solver in the classic style of Fortran 77, as a plug-in: who it is, one call, and its external routines.
module ros3_plugin
    use ivp_plugin
    implicit none
    type(ivp_task), pointer :: now ! the externals have no argument for it; there is one solve at a time
    external :: ros3
contains
    subroutine describe(out) bind(C, name="ivp_solver_describe")
        type(ivp_solver_description), intent(inout) :: out
        call ivp_begin(out)
        out%name = ivp_text("ros3")
        out%language = ivp_text("Fortran 77")
        out%lu_unit = ivp_text("one real matrix")
        out%forms = ivp_ode
        out%flags = ivp_implicit + ivp_needs_h0 + ivp_takes_vector_tolerances
        out%lowest_order = 3
        out%highest_order = 3
    end subroutine

    subroutine solve(task, result) bind(C, name="ivp_solver_solve")
        type(ivp_task), intent(in), target :: task
        type(ivp_result), intent(inout) :: result
        real(c_double), pointer :: y(:), rtol(:), atol(:)
        real(c_double) :: work(task%n*(3*task%n + 9)), rpar(1), h
        integer :: iwork(task%n + 20), ipar(2), idid, k
        now => task
        call c_f_pointer(task%y, y, [task%n])
        call c_f_pointer(task%rtol, rtol, [task%n])
        call c_f_pointer(task%atol, atol, [task%n])
        iwork = 0
        iwork(2) = int(min(task%max_steps, int(huge(1), c_int64_t)))
        h = task%h0
        result%t = task%t0
        call ros3(task%n, f, result%t, y, task%tend, h, rtol, atol, 1, jacobian, task%exact_jacobian, no_mass, 0, step, 1, &
                  work, size(work), iwork, size(iwork), rpar, ipar, idid)
        do k = 1, iwork(19) ! what only the solver knows
            call ivp_factorised(task, 1, 0)
        end do
        do k = 1, merge(iwork(15), 0, task%exact_jacobian == 0)
            call ivp_jacobian_by_differences(task)
        end do
        call ivp_solved(task, iwork(20))
        result%steps = iwork(16)
        result%accepted = iwork(17)
        result%error_rejections = iwork(18)
        result%outcome = ivp_step_too_small
        if (idid == 1) result%outcome = ivp_success
        if (idid == 2) result%outcome = merge(ivp_stopped, ivp_not_finite, ipar(1) == 2)
        if (idid == -2) result%outcome = ivp_too_many_steps
    end subroutine

    subroutine f(n, x, y, out, rpar, ipar)
        integer :: n, ipar(*), status
        real(c_double) :: x, y(n), out(n), rpar(*)
        if (ipar(2) == 1) then ! for a difference quotient: counted apart
            status = ivp_f_difference(now, x, y, out)
        else
            status = ivp_f(now, x, y, out)
        end if
        if (status /= ivp_ok) ipar(1) = merge(2, 1, status == ivp_stop)
    end subroutine

    subroutine jacobian(n, x, y, out, ld, rpar, ipar)
        integer :: n, ld, ipar(*), status
        real(c_double) :: x, y(n), out(ld, n), rpar(*)
        status = ivp_jacobian(now, x, y, out, ld)
        if (status /= ivp_ok) ipar(1) = merge(2, 1, status == ivp_stop)
    end subroutine

    subroutine no_mass()
    end subroutine

    subroutine step(nr, xold, x, y, n, rpar, ipar, irtrn)
        integer :: nr, n, ipar(*), irtrn
        real(c_double) :: xold, x, rpar(*)
        real(c_double), target :: y(n)
        type(ivp_step) :: accepted
        call ivp_begin(accepted)
        accepted%t_old = xold
        accepted%t = x
        accepted%h = x - xold
        accepted%y = c_loc(y)
        if (ivp_accepted_step(now, accepted) /= ivp_stop) return
        ipar(1) = 2
        irtrn = -1
    end subroutine
end module
