! @NAME@: a solver for the ivp test set, in Fortran.
!
! As written this is ROS2, a Rosenbrock method of order 2 for y' = f(t, y) with error control. With J = df/dy, each step solves
! two linear systems:
!
!     (I - gamma h J) k1 = f(t, y)
!     (I - gamma h J) k2 = f(t + h, y + h k1) - 2 k1
!     y_new = y + h (3/2 k1 + 1/2 k2),     estimate of the error: h/2 (k1 + k2)
!
! It is L-stable with gamma = 1 - 1/sqrt(2), and keeps its order with any J (J. G. Verwer et al., SIAM J. Sci. Comput. 20 (1999)
! 1456-1480). Put your own method into attempt and integrate; what is around them can stay. The contract in Fortran is the module
! ivp_plugin (ivp/ivp_plugin.f90); everything a solver may and must do is in ivp/plugin.h, under the same names.
module method
    use ivp_plugin
    implicit none
    private

    integer, parameter :: dp = c_double
    real(dp), parameter :: gamma_ = 0.29289321881345248_dp ! 1 - 1/sqrt(2)

    ! The memory of one solve
    type work
        integer :: n
        real(dp), allocatable, dimension(:) :: f0, k1, k2, stage
        real(dp), allocatable, dimension(:, :) :: jacobian, lu
        integer, allocatable :: pivot(:)
    end type

contains

    ! Describes the solver and what it can do. ivp refuses other problems before it calls ivp_solver_solve.
    subroutine describe(out) bind(C, name="ivp_solver_describe")
        type(ivp_solver_description), intent(inout) :: out
        call ivp_begin(out)
        out%name = ivp_text("@NAME@")
        out%solver_version = ivp_text("0.1")
        out%language = ivp_text("Fortran")
        out%error_norm = ivp_text("root mean square of the estimate divided by atol + rtol max(|y_old|, |y|)")
        out%lu_unit = ivp_text("one real matrix")
        out%forms = ivp_ode
        out%flags = ivp_implicit + ivp_takes_h0 + ivp_takes_zero_rtol + ivp_takes_vector_tolerances + ivp_gives_error_estimate &
            + ivp_locally_extrapolated
        out%lowest_order = 2
        out%highest_order = 2
    end subroutine

    ! Integrates from task%t0 to task%tend and fills the result. ivp calls it many times: it must not depend on earlier calls.
    subroutine solve_task(task, result) bind(C, name="ivp_solver_solve")
        type(ivp_task), intent(in) :: task
        type(ivp_result), intent(inout) :: result
        type(work) :: w
        integer :: failed
        w%n = task%n
        allocate (w%f0(w%n), w%k1(w%n), w%k2(w%n), w%stage(w%n), w%jacobian(w%n, w%n), w%lu(w%n, w%n), w%pivot(w%n), stat=failed)
        result%steps = 0
        result%accepted = 0
        result%error_rejections = 0
        if (failed /= 0) then
            result%outcome = ivp_out_of_memory
        else
            call integrate(task, result, w)
        end if
    end subroutine

    subroutine integrate(task, result, w)
        type(ivp_task), intent(in) :: task
        type(ivp_result), intent(inout) :: result
        type(work), intent(inout) :: w
        real(dp), pointer :: y(:), rtol(:), atol(:)
        real(dp), target :: trial(w%n), error(w%n), weight(w%n)
        type(ivp_step) :: step
        real(dp) :: t, t_new, h, norm
        integer(c_int) :: status
        logical :: fresh, complete

        call c_f_pointer(task%y, y, [w%n])
        call c_f_pointer(task%rtol, rtol, [w%n])
        call c_f_pointer(task%atol, atol, [w%n])
        t = task%t0
        h = min(merge(task%h0, 1e-6_dp*(task%tend - t), task%h0 > 0), task%hmax)
        fresh = .false. ! J is that of this y
        status = ivp_f(task, t, y, w%f0)

        do while (t < task%tend)
            if (status == ivp_ok .and. .not. fresh) status = differentiate(task, t, y, w)
            if (status == ivp_stop) then ! a time limit, or the user
                result%outcome = ivp_stopped
                return
            else if (status /= ivp_ok .and. .not. fresh) then ! not even here: a smaller step cannot help
                result%outcome = ivp_not_finite
                return
            else if (result%steps == task%max_steps) then
                result%outcome = ivp_too_many_steps
                return
            else if (.not. h > 4*epsilon(t)*abs(t)) then
                result%outcome = merge(ivp_not_finite, ivp_step_too_small, status == ivp_nonfinite)
                return
            end if
            fresh = .true.
            result%steps = result%steps + 1

            t_new = task%tend ! never beyond tend, and exactly there at last
            if (t + 1.001_dp*h < task%tend) t_new = t + h
            status = ivp_refused
            if (factorised(task, t_new - t, w)) status = attempt(task, t, t_new, y, w, trial, error)
            complete = status == ivp_ok
            norm = 0
            if (complete) then
                weight = atol + rtol*max(abs(y), abs(trial))
                norm = sqrt(sum((error/weight)**2)/w%n)
                if (norm <= 1) status = ivp_f(task, t_new, trial, w%k1) ! f must accept it too
            end if
            if (.not. norm <= 1 .or. status /= ivp_ok) then
                if (norm > 1) result%error_rejections = result%error_rejections + 1
                h = (t_new - t)*merge(max(0.2_dp, 0.9_dp/sqrt(max(norm, 1.0_dp))), 0.25_dp, norm > 1)
                cycle
            end if

            call ivp_begin(step)
            step%t_old = t
            step%t = t_new
            step%h = t_new - t
            step%y = c_loc(trial)
            step%error_norm = norm
            step%error_estimate = c_loc(error)
            step%error_weights = c_loc(weight)
            h = min((t_new - t)*min(5.0_dp, 0.9_dp/sqrt(norm)), task%hmax)
            t = t_new
            result%t = t
            result%accepted = result%accepted + 1
            y = trial
            w%f0 = w%k1
            fresh = .false.
            status = ivp_accepted_step(task, step)
        end do
        result%outcome = ivp_success
    end subroutine

    ! J at (t, y): exact if the problem has it (and the user wants it), otherwise by difference quotients, counted separately.
    integer(c_int) function differentiate(task, t, y, w) result(status)
        type(ivp_task), intent(in) :: task
        real(dp), intent(in) :: t, y(:)
        type(work), intent(inout) :: w
        integer :: j
        if (task%exact_jacobian == 1) then
            status = ivp_jacobian(task, t, y, w%jacobian, w%n)
            return
        end if
        call ivp_jacobian_by_differences(task)
        w%stage = y
        status = ivp_ok
        do j = 1, w%n
            w%stage(j) = y(j) + sqrt(epsilon(t)*max(1e-5_dp, abs(y(j))))
            status = ivp_f_difference(task, t, w%stage, w%jacobian(:, j))
            if (status /= ivp_ok) return
            w%jacobian(:, j) = (w%jacobian(:, j) - w%f0)/(w%stage(j) - y(j))
            w%stage(j) = y(j)
        end do
    end function

    ! lu = I - gamma h J, with row exchanges. False: singular.
    logical function factorised(task, h, w)
        type(ivp_task), intent(in) :: task
        real(dp), intent(in) :: h
        type(work), intent(inout) :: w
        integer :: i, j, k, p
        real(dp) :: exchanged
        factorised = .false.
        w%lu = -gamma_*h*w%jacobian
        do i = 1, w%n
            w%lu(i, i) = w%lu(i, i) + 1
        end do
        call ivp_factorised(task, 1, 0) ! only the solver knows its factorisations
        do k = 1, w%n
            p = k - 1 + maxloc(abs(w%lu(k:, k)), dim=1)
            w%pivot(k) = p
            if (.not. abs(w%lu(p, k)) > 0) return ! in this form, NaN is found too
            do j = 1, w%n
                exchanged = w%lu(p, j)
                w%lu(p, j) = w%lu(k, j)
                w%lu(k, j) = exchanged
                if (j > k) w%lu(k + 1:, j) = w%lu(k + 1:, j) - w%lu(k, j)/w%lu(k, k)*w%lu(k + 1:, k)
            end do
        end do
        factorised = .true.
    end function

    ! x becomes the solution of (I - gamma h J) x = x.
    subroutine solve(task, w, x)
        type(ivp_task), intent(in) :: task
        type(work), intent(in) :: w
        real(dp), intent(inout) :: x(:)
        integer :: k
        do k = 1, w%n
            x([k, w%pivot(k)]) = x([w%pivot(k), k])
        end do
        do k = 1, w%n
            x(k + 1:) = x(k + 1:) - w%lu(k + 1:, k)/w%lu(k, k)*x(k)
        end do
        do k = w%n, 1, -1
            x(k) = x(k)/w%lu(k, k)
            x(:k - 1) = x(:k - 1) - w%lu(:k - 1, k)*x(k)
        end do
        call ivp_solved(task, 1)
    end subroutine

    ! One step from (t, y) to t_new. After ivp_ok: the new solution is in trial, the estimate of its error in error.
    integer(c_int) function attempt(task, t, t_new, y, w, trial, error) result(status)
        type(ivp_task), intent(in) :: task
        real(dp), intent(in) :: t, t_new, y(:)
        type(work), intent(inout) :: w
        real(dp), intent(inout) :: trial(:), error(:)
        real(dp) :: h
        h = t_new - t
        w%k1 = w%f0
        call solve(task, w, w%k1)
        w%stage = y + h*w%k1
        status = ivp_f(task, t_new, w%stage, w%k2)
        if (status /= ivp_ok) return
        w%k2 = w%k2 - 2*w%k1
        call solve(task, w, w%k2)
        trial = y + h*(1.5_dp*w%k1 + 0.5_dp*w%k2)
        error = h*0.5_dp*(w%k1 + w%k2)
    end function
end module
