! EULER1 (euler1.f), a classic solver in one-step mode for G(t, y, y') = 0, as a plug-in.
module euler1_plugin
    use ivp_classic
    implicit none
    external :: euler1
contains
    subroutine describe(out) bind(C, name="ivp_solver_describe")
        type(ivp_solver_description), intent(inout) :: out
        call ivp_describe(out, "euler1", ivp_ide, ivp_implicit + ivp_needs_h0 + ivp_needs_yp + ivp_takes_vector_tolerances, 1, 1)
        out%highest_index = 1
    end subroutine

    subroutine solve(task, result) bind(C, name="ivp_solver_solve")
        type(ivp_task), intent(in), target :: task
        type(ivp_result), intent(inout) :: result
        real(c_double) :: rwork(task%n*(task%n + 5)), h, t_old
        integer :: iwork(task%n + 4), idid, accepted
        call ivp_enter(task, result)
        iwork = 0
        h = task%h0
        accepted = 0
        idid = 1
        do while (idid == 1)
            t_old = result%t
            call euler1(residual, task%n, result%t, ivp_y, ivp_yp, task%tend, h, ivp_rtol, ivp_atol, rwork, iwork, idid)
            if (idid < 0) exit
            accepted = accepted + 1
            if (ivp_now_accepted(t_old, result%t, ivp_y) == ivp_stop) exit
            if (iwork(task%n + 1) >= ivp_most_steps() .and. idid == 1) idid = -3
        end do
        call ivp_leave(result, steps=iwork(task%n + 1), accepted=accepted, rejected=iwork(task%n + 2), real_lu=iwork(task%n + 3), &
                       solves=iwork(task%n + 4), difference_jacobians=iwork(task%n + 3))
        result%outcome = ivp_outcome(idid, [2, -1, -3], [ivp_success, ivp_step_too_small, ivp_too_many_steps])
    end subroutine

    subroutine residual(t, y, yp, delta, ires)
        integer :: ires
        real(c_double) :: t, y(*), yp(*), delta(*)
        ires = ivp_answer(ivp_now_g(t, y, yp, delta, difference=ires == 1), refused=-1, ended=-2)
    end subroutine
end module
