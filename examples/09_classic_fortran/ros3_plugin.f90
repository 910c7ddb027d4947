! ROS3 (ros3.f), a solver in the classic style of Fortran 77, as a plug-in: its description, one call, and its external routines.
module ros3_plugin
    use ivp_classic
    implicit none
    external :: ros3
contains
    subroutine describe(out) bind(C, name="ivp_solver_describe")
        type(ivp_solver_description), intent(inout) :: out
        call ivp_describe(out, "ros3", ivp_ode, ivp_implicit + ivp_needs_h0 + ivp_takes_vector_tolerances, 3, 3, "one real matrix")
    end subroutine

    subroutine solve(task, result) bind(C, name="ivp_solver_solve")
        type(ivp_task), intent(in), target :: task
        type(ivp_result), intent(inout) :: result
        real(c_double) :: work(task%n*(3*task%n + 9)), rpar(1), h
        integer :: iwork(task%n + 20), ipar(2), idid
        call ivp_enter(task, result)
        h = task%h0
        iwork(2) = ivp_most_steps()
        call ros3(task%n, f, result%t, ivp_y, task%tend, h, ivp_rtol, ivp_atol, 1, jacobian, task%exact_jacobian, &
                  ivp_not_called, 0, step, 1, work, size(work), iwork, size(iwork), rpar, ipar, idid)
        call ivp_leave(result, steps=iwork(16), accepted=iwork(17), rejected=iwork(18), real_lu=iwork(19), solves=iwork(20), &
                       difference_jacobians=iwork(15)*(1 - task%exact_jacobian))
        result%outcome = ivp_outcome(idid, [1, 2, -2, -3], [ivp_success, ivp_not_finite, ivp_too_many_steps, ivp_step_too_small])
    end subroutine

    subroutine f(n, x, y, out, rpar, ipar)
        integer :: n, ipar(*)
        real(c_double) :: x, y(n), out(n), rpar(*)
        ipar(1) = ivp_answer(ivp_now_f(x, y, out, difference=ipar(2) == 1), refused=1, ended=2)
    end subroutine

    subroutine jacobian(n, x, y, out, ld, rpar, ipar)
        integer :: n, ld, ipar(*)
        real(c_double) :: x, y(n), out(ld, n), rpar(*)
        ipar(1) = ivp_answer(ivp_jacobian(ivp_now, x, y, out, ld), refused=1, ended=2)
    end subroutine

    subroutine step(nr, xold, x, y, n, rpar, ipar, irtrn)
        integer :: nr, n, ipar(*), irtrn
        real(c_double) :: xold, x, y(n), rpar(*)
        irtrn = ivp_answer(ivp_now_accepted(xold, x, y), refused=0, ended=-1)
    end subroutine
end module
