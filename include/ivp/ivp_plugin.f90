! The plug-in contract of ivp, version 1, for Fortran 2008. plugin.h explains each field and function, under the same names; this
! file says only what is different.
!
!   - Types are laid out as the C structs. Pointers are type(c_ptr): use c_f_pointer. Make texts with ivp_text, functions with
!     c_funloc.
!   - Arrays count from 1 here; the numbers in index arrays (rows, columns, components) count from 0, as in C.
!   - The callbacks of a task are called through the functions at the end of this file: status = ivp_f(task, t, y, out).
!   - Call ivp_begin(x) on an ivp_step, an ivp_named_value or a description before filling it: it says which version it is.
!
! The module ivp_classic, below, has what the wrapper of a solver in the classic style (external routines, work arrays) needs.
module ivp_plugin
    use, intrinsic :: iso_c_binding
    implicit none
    public

    integer(c_int32_t), parameter :: ivp_plugin_version = 1
    integer, parameter :: ivp_message_size = 256

    ! Answers of an evaluation
    integer(c_int), parameter :: ivp_ok = 0, ivp_refused = 1, ivp_nonfinite = 2, ivp_stop = 3
    ! Forms
    integer(c_int32_t), parameter :: ivp_ode = 1, ivp_dae = 2, ivp_ide = 4
    ! Structure of a Jacobian, kind of a mass matrix, wish for the linear algebra
    integer(c_int32_t), parameter :: ivp_full = 0, ivp_band = 1, ivp_sparse = 2
    integer(c_int32_t), parameter :: ivp_mass_identity = 0, ivp_mass_diagonal = 1, ivp_mass_band = 2, ivp_mass_full = 3
    integer(c_int32_t), parameter :: ivp_algebra_auto = 0, ivp_algebra_dense = 1, ivp_algebra_band = 2, ivp_algebra_sparse = 3
    ! What a solver is and can do; add them up
    integer(c_int32_t), parameter :: ivp_implicit = 1, ivp_takes_h0 = 2, ivp_needs_h0 = 4, ivp_needs_yp = 8, ivp_takes_band = 16, &
        ivp_takes_sparse = 32, ivp_takes_zero_rtol = 64, ivp_takes_zero_atol = 128, ivp_takes_vector_tolerances = 256, &
        ivp_gives_error_estimate = 512, ivp_locally_extrapolated = 1024
    ! How a solve ended
    integer(c_int32_t), parameter :: ivp_unfinished = -1, ivp_success = 0, ivp_too_many_steps = 1, ivp_step_too_small = 2, &
        ivp_newton_failed = 3, ivp_error_test_failed = 4, ivp_singular_matrix = 5, ivp_not_finite = 6, ivp_stopped = 7, &
        ivp_out_of_memory = 8
    ! Of which error the digits of a problem are counted
    integer(c_int32_t), parameter :: ivp_accuracy_relative = 0, ivp_accuracy_absolute = 1, ivp_accuracy_mixed_only = 2
    ! Flags of a problem
    integer(c_int32_t), parameter :: ivp_problem_serial = 1

    type, bind(C) :: ivp_named_value
        integer(c_int32_t) :: version, size
        type(c_ptr) :: name
        real(c_double) :: value, min, max
        integer(c_int32_t) :: whole, reserved
        type(c_ptr) :: meaning
    end type

    type, bind(C) :: ivp_solver_description
        integer(c_int32_t) :: version, size
        type(c_ptr) :: name, title, solver_version, language, error_norm, lu_unit, reference
        integer(c_int32_t) :: forms, flags, highest_index, lowest_order, highest_order, max_threads, option_count, reserved
        type(c_ptr) :: options
    end type

    type, bind(C) :: ivp_mechanics_description
        integer(c_int32_t) :: version, size
        type(c_ptr) :: id, title, contributor, quantity_of_interest, tags, chapter
        integer(c_int32_t) :: coordinate_count, constraint_count
        type(c_ptr) :: coordinate_names, constraint_names
        real(c_double) :: t0, tend
        integer(c_int32_t) :: multiplier_sign, mass_varies
        type(c_ptr) :: coordinate_sizes, reference, reference_digits, reference_source
        integer(c_int32_t) :: accuracy, reserved
        real(c_double) :: atol_per_rtol, h0_per_rtol
    end type

    type, bind(C) :: ivp_mechanics
        integer(c_int32_t) :: version, size, flags, parameter_count
        type(c_ptr) :: parameters
        type(c_funptr) :: create, destroy, describe, start, mass, forces, constraints, gradients, rates, accelerations, potential
    end type

    type, bind(C) :: ivp_step
        integer(c_int32_t) :: version, size
        real(c_double) :: t_old, t, h
        type(c_ptr) :: y
        real(c_double) :: error_bound, error_norm
        type(c_ptr) :: error_estimate, error_weights
        type(c_funptr) :: interpolate
        type(c_ptr) :: interpolation_data
    end type

    type, bind(C) :: ivp_callbacks
        integer(c_int32_t) :: version, size
        type(c_funptr) :: f, g, f_difference, g_difference
        type(c_funptr) :: jacobian, jacobian_band, jacobian_sparse
        type(c_funptr) :: partials, partials_band, partials_sparse
        type(c_funptr) :: mass_multiply, accepted_step, factorised, solved, jacobian_by_differences, time_derivative
    end type

    type, bind(C) :: ivp_task
        integer(c_int32_t) :: version, size, n, form
        real(c_double) :: t0, tend
        type(c_ptr) :: y, yp, rtol, atol
        real(c_double) :: h0, hmax
        integer(c_int64_t) :: max_steps
        type(c_ptr) :: options
        integer(c_int32_t) :: option_count, scalar_tolerances, threads, algebra, exact_jacobian, observed
        integer(c_int32_t) :: highest_index, jacobian_kind, jacobian_lower, jacobian_upper
        type(c_ptr) :: jacobian_column_start, jacobian_row, index
        integer(c_int32_t) :: mass_kind, mass_lower, mass_upper, reserved
        type(c_ptr) :: mass, callbacks, host
        integer(c_int32_t) :: which, autonomous, continues, reserved_2
    end type

    type, bind(C) :: ivp_result
        integer(c_int32_t) :: version, size, outcome, reserved
        real(c_double) :: t
        integer(c_int64_t) :: steps, accepted, error_rejections, nfev, njac, nlu, nsolve
        character(kind=c_char) :: message(ivp_message_size)
    end type

    type, bind(C) :: ivp_problem_description
        integer(c_int32_t) :: version, size
        type(c_ptr) :: id, title, contributor, quantity_of_interest, tags, chapter, component_names
        integer(c_int32_t) :: form, n
        real(c_double) :: t0, tend
        integer(c_int32_t) :: highest_index, inconsistent
        type(c_ptr) :: index
        integer(c_int32_t) :: jacobian_kind, jacobian_lower, jacobian_upper, mass_kind, mass_lower, mass_upper
        type(c_ptr) :: jacobian_column_start, jacobian_row
        integer(c_int32_t) :: breakpoint_count, discontinuity_count
        type(c_ptr) :: breakpoints, discontinuities
        integer(c_int32_t) :: excluded_count, accuracy
        type(c_ptr) :: excluded, reference, reference_digits, reference_source
        real(c_double) :: atol_per_rtol, h0_per_rtol
    end type

    type, bind(C) :: ivp_problem
        integer(c_int32_t) :: version, size, flags, parameter_count
        type(c_ptr) :: parameters
        type(c_funptr) :: create, destroy, describe, initial, f, g, mass, jacobian, partials, time_derivative, tolerances
        type(c_funptr) :: product, preconditioner_set_up, preconditioner_solve, preconditioner_free
    end type

    interface ivp_begin
        module procedure begin_named_value, begin_solver_description, begin_step, begin_problem_description, begin_problem
    end interface

    abstract interface
        integer(c_int) function ivp_f_interface(host, t, y, out) bind(C)
            import
            type(c_ptr), value :: host
            real(c_double), value :: t
            real(c_double), intent(in) :: y(*)
            real(c_double), intent(out) :: out(*)
        end function
        integer(c_int) function ivp_g_interface(host, t, y, yp, out) bind(C)
            import
            type(c_ptr), value :: host
            real(c_double), value :: t
            real(c_double), intent(in) :: y(*), yp(*)
            real(c_double), intent(out) :: out(*)
        end function
        integer(c_int) function ivp_jacobian_interface(host, t, y, out, ld) bind(C)
            import
            type(c_ptr), value :: host
            real(c_double), value :: t
            real(c_double), intent(in) :: y(*)
            real(c_double), intent(out) :: out(*)
            integer(c_int32_t), value :: ld
        end function
        integer(c_int) function ivp_partials_interface(host, t, y, yp, a, b, out, ld) bind(C)
            import
            type(c_ptr), value :: host
            real(c_double), value :: t, a, b
            real(c_double), intent(in) :: y(*), yp(*)
            real(c_double), intent(out) :: out(*)
            integer(c_int32_t), value :: ld
        end function
        integer(c_int) function ivp_partials_sparse_interface(host, t, y, yp, a, b, out) bind(C)
            import
            type(c_ptr), value :: host
            real(c_double), value :: t, a, b
            real(c_double), intent(in) :: y(*), yp(*)
            real(c_double), intent(out) :: out(*)
        end function
        integer(c_int) function ivp_mass_interface(host, x, out) bind(C)
            import
            type(c_ptr), value :: host
            real(c_double), intent(in) :: x(*)
            real(c_double), intent(out) :: out(*)
        end function
        integer(c_int) function ivp_step_interface(host, step) bind(C)
            import
            type(c_ptr), value :: host
            type(ivp_step), intent(in) :: step
        end function
        subroutine ivp_factorised_interface(host, real_matrices, complex_matrices) bind(C)
            import
            type(c_ptr), value :: host
            integer(c_int32_t), value :: real_matrices, complex_matrices
        end subroutine
        subroutine ivp_solved_interface(host, number) bind(C)
            import
            type(c_ptr), value :: host
            integer(c_int32_t), value :: number
        end subroutine
        subroutine ivp_told_interface(host) bind(C)
            import
            type(c_ptr), value :: host
        end subroutine
    end interface

contains

    ! The address of a text that stays valid as long as the library is loaded, as descriptions need it. Never freed: for them only.
    type(c_ptr) function ivp_text(text)
        character(len=*), intent(in) :: text
        character(kind=c_char), pointer :: kept(:)
        integer :: i
        allocate (kept(len(text) + 1))
        do i = 1, len(text)
            kept(i) = text(i:i)
        end do
        kept(len(text) + 1) = c_null_char
        ivp_text = c_loc(kept)
    end function

    ! A sentence for the user, cut if it is too long.
    subroutine ivp_say(result, text)
        type(ivp_result), intent(inout) :: result
        character(len=*), intent(in) :: text
        integer :: i
        do i = 1, min(len(text), ivp_message_size - 1)
            result%message(i) = text(i:i)
        end do
        result%message(min(len(text), ivp_message_size - 1) + 1) = c_null_char
    end subroutine

    subroutine begin_named_value(x)
        type(ivp_named_value), intent(out) :: x
        x = ivp_named_value(ivp_plugin_version, int(c_sizeof(x), c_int32_t), c_null_ptr, 0, 0, 0, 0, 0, c_null_ptr)
    end subroutine

    subroutine begin_step(x)
        type(ivp_step), intent(out) :: x
        x = ivp_step(ivp_plugin_version, int(c_sizeof(x), c_int32_t), 0, 0, 0, c_null_ptr, 1, 0, c_null_ptr, c_null_ptr, &
            c_null_funptr, c_null_ptr)
    end subroutine

    ! These three come from the host, everything else in them preset.
    subroutine begin_solver_description(x)
        type(ivp_solver_description), intent(inout) :: x
        x%version = ivp_plugin_version
        x%size = int(c_sizeof(x), c_int32_t)
    end subroutine

    subroutine begin_problem_description(x)
        type(ivp_problem_description), intent(inout) :: x
        x%version = ivp_plugin_version
        x%size = int(c_sizeof(x), c_int32_t)
    end subroutine

    subroutine begin_problem(x)
        type(ivp_problem), intent(inout) :: x
        x%version = ivp_plugin_version
        x%size = int(c_sizeof(x), c_int32_t)
    end subroutine

    ! ---- The callbacks of a task ----

    function callbacks_of(task) result(c)
        type(ivp_task), intent(in) :: task
        type(ivp_callbacks), pointer :: c
        call c_f_pointer(task%callbacks, c)
    end function

    integer(c_int) function ivp_f(task, t, y, out)
        type(ivp_task), intent(in) :: task
        real(c_double), intent(in) :: t, y(*)
        real(c_double), intent(inout) :: out(*)
        type(ivp_callbacks), pointer :: c
        procedure(ivp_f_interface), pointer :: p
        c => callbacks_of(task)
        call c_f_procpointer(c%f, p)
        ivp_f = p(task%host, t, y, out)
    end function

    integer(c_int) function ivp_f_difference(task, t, y, out)
        type(ivp_task), intent(in) :: task
        real(c_double), intent(in) :: t, y(*)
        real(c_double), intent(inout) :: out(*)
        type(ivp_callbacks), pointer :: c
        procedure(ivp_f_interface), pointer :: p
        c => callbacks_of(task)
        call c_f_procpointer(c%f_difference, p)
        ivp_f_difference = p(task%host, t, y, out)
    end function

    integer(c_int) function ivp_g(task, t, y, yp, out)
        type(ivp_task), intent(in) :: task
        real(c_double), intent(in) :: t, y(*), yp(*)
        real(c_double), intent(inout) :: out(*)
        type(ivp_callbacks), pointer :: c
        procedure(ivp_g_interface), pointer :: p
        c => callbacks_of(task)
        call c_f_procpointer(c%g, p)
        ivp_g = p(task%host, t, y, yp, out)
    end function

    integer(c_int) function ivp_g_difference(task, t, y, yp, out)
        type(ivp_task), intent(in) :: task
        real(c_double), intent(in) :: t, y(*), yp(*)
        real(c_double), intent(inout) :: out(*)
        type(ivp_callbacks), pointer :: c
        procedure(ivp_g_interface), pointer :: p
        c => callbacks_of(task)
        call c_f_procpointer(c%g_difference, p)
        ivp_g_difference = p(task%host, t, y, yp, out)
    end function

    ! out: an array (ld, n) by columns, as Fortran's are
    integer(c_int) function ivp_jacobian(task, t, y, out, ld)
        type(ivp_task), intent(in) :: task
        real(c_double), intent(in) :: t, y(*)
        real(c_double), intent(inout) :: out(*)
        integer, intent(in) :: ld
        type(ivp_callbacks), pointer :: c
        procedure(ivp_jacobian_interface), pointer :: p
        c => callbacks_of(task)
        call c_f_procpointer(c%jacobian, p)
        ivp_jacobian = p(task%host, t, y, out, int(ld, c_int32_t))
    end function

    integer(c_int) function ivp_jacobian_band(task, t, y, out, ld)
        type(ivp_task), intent(in) :: task
        real(c_double), intent(in) :: t, y(*)
        real(c_double), intent(inout) :: out(*)
        integer, intent(in) :: ld
        type(ivp_callbacks), pointer :: c
        procedure(ivp_jacobian_interface), pointer :: p
        c => callbacks_of(task)
        call c_f_procpointer(c%jacobian_band, p)
        ivp_jacobian_band = p(task%host, t, y, out, int(ld, c_int32_t))
    end function

    integer(c_int) function ivp_jacobian_sparse(task, t, y, out)
        type(ivp_task), intent(in) :: task
        real(c_double), intent(in) :: t, y(*)
        real(c_double), intent(inout) :: out(*)
        type(ivp_callbacks), pointer :: c
        procedure(ivp_f_interface), pointer :: p
        c => callbacks_of(task)
        call c_f_procpointer(c%jacobian_sparse, p)
        ivp_jacobian_sparse = p(task%host, t, y, out)
    end function

    integer(c_int) function ivp_time_derivative(task, t, y, out)
        type(ivp_task), intent(in) :: task
        real(c_double), intent(in) :: t, y(*)
        real(c_double), intent(inout) :: out(*)
        type(ivp_callbacks), pointer :: c
        procedure(ivp_f_interface), pointer :: p
        c => callbacks_of(task)
        call c_f_procpointer(c%time_derivative, p)
        ivp_time_derivative = p(task%host, t, y, out)
    end function

    integer(c_int) function ivp_partials(task, t, y, yp, a, b, out, ld)
        type(ivp_task), intent(in) :: task
        real(c_double), intent(in) :: t, y(*), yp(*), a, b
        real(c_double), intent(inout) :: out(*)
        integer, intent(in) :: ld
        type(ivp_callbacks), pointer :: c
        procedure(ivp_partials_interface), pointer :: p
        c => callbacks_of(task)
        call c_f_procpointer(c%partials, p)
        ivp_partials = p(task%host, t, y, yp, a, b, out, int(ld, c_int32_t))
    end function

    integer(c_int) function ivp_partials_band(task, t, y, yp, a, b, out, ld)
        type(ivp_task), intent(in) :: task
        real(c_double), intent(in) :: t, y(*), yp(*), a, b
        real(c_double), intent(inout) :: out(*)
        integer, intent(in) :: ld
        type(ivp_callbacks), pointer :: c
        procedure(ivp_partials_interface), pointer :: p
        c => callbacks_of(task)
        call c_f_procpointer(c%partials_band, p)
        ivp_partials_band = p(task%host, t, y, yp, a, b, out, int(ld, c_int32_t))
    end function

    integer(c_int) function ivp_partials_sparse(task, t, y, yp, a, b, out)
        type(ivp_task), intent(in) :: task
        real(c_double), intent(in) :: t, y(*), yp(*), a, b
        real(c_double), intent(inout) :: out(*)
        type(ivp_callbacks), pointer :: c
        procedure(ivp_partials_sparse_interface), pointer :: p
        c => callbacks_of(task)
        call c_f_procpointer(c%partials_sparse, p)
        ivp_partials_sparse = p(task%host, t, y, yp, a, b, out)
    end function

    integer(c_int) function ivp_mass_multiply(task, x, out)
        type(ivp_task), intent(in) :: task
        real(c_double), intent(in) :: x(*)
        real(c_double), intent(inout) :: out(*)
        type(ivp_callbacks), pointer :: c
        procedure(ivp_mass_interface), pointer :: p
        c => callbacks_of(task)
        call c_f_procpointer(c%mass_multiply, p)
        ivp_mass_multiply = p(task%host, x, out)
    end function

    integer(c_int) function ivp_accepted_step(task, step)
        type(ivp_task), intent(in) :: task
        type(ivp_step), intent(in) :: step
        type(ivp_callbacks), pointer :: c
        procedure(ivp_step_interface), pointer :: p
        c => callbacks_of(task)
        call c_f_procpointer(c%accepted_step, p)
        ivp_accepted_step = p(task%host, step)
    end function

    subroutine ivp_factorised(task, real_matrices, complex_matrices)
        type(ivp_task), intent(in) :: task
        integer, intent(in) :: real_matrices, complex_matrices
        type(ivp_callbacks), pointer :: c
        procedure(ivp_factorised_interface), pointer :: p
        c => callbacks_of(task)
        call c_f_procpointer(c%factorised, p)
        call p(task%host, int(real_matrices, c_int32_t), int(complex_matrices, c_int32_t))
    end subroutine

    subroutine ivp_solved(task, number)
        type(ivp_task), intent(in) :: task
        integer, intent(in) :: number
        type(ivp_callbacks), pointer :: c
        procedure(ivp_solved_interface), pointer :: p
        c => callbacks_of(task)
        call c_f_procpointer(c%solved, p)
        call p(task%host, int(number, c_int32_t))
    end subroutine

    subroutine ivp_jacobian_by_differences(task)
        type(ivp_task), intent(in) :: task
        type(ivp_callbacks), pointer :: c
        procedure(ivp_told_interface), pointer :: p
        c => callbacks_of(task)
        call c_f_procpointer(c%jacobian_by_differences, p)
        call p(task%host)
    end subroutine
end module

! Around a solver in the classic style of Fortran 77. Its external routines have no argument through which a task could come, so the
! task of the solve under way is here: ivp_enter puts it here, and the functions ivp_now_… evaluate its problem.
module ivp_classic
    use ivp_plugin
    implicit none
    public

    type(ivp_task), pointer, protected :: ivp_now => null()
    ! The arrays of the task; y receives the solution. ivp_yp is not associated if the host gives no y'.
    real(c_double), pointer, protected :: ivp_y(:) => null(), ivp_yp(:) => null(), ivp_rtol(:) => null(), ivp_atol(:) => null()

contains

    ! What every description has. Other fields, if there is something to say, are set afterwards.
    subroutine ivp_describe(out, name, forms, flags, lowest_order, highest_order, lu_unit)
        type(ivp_solver_description), intent(inout) :: out
        character(len=*), intent(in) :: name
        integer(c_int32_t), intent(in) :: forms, flags, lowest_order, highest_order
        character(len=*), intent(in), optional :: lu_unit
        call ivp_begin(out)
        out%name = ivp_text(name)
        out%language = ivp_text("Fortran 77")
        out%forms = forms
        out%flags = flags
        out%lowest_order = lowest_order
        out%highest_order = highest_order
        if (present(lu_unit)) out%lu_unit = ivp_text(lu_unit)
    end subroutine

    ! The first call of a solve. The host calls one solve at a time.
    subroutine ivp_enter(task, result)
        type(ivp_task), intent(in), target :: task
        type(ivp_result), intent(inout) :: result
        ivp_now => task
        call c_f_pointer(task%y, ivp_y, [task%n])
        call c_f_pointer(task%rtol, ivp_rtol, [task%n])
        call c_f_pointer(task%atol, ivp_atol, [task%n])
        nullify (ivp_yp)
        if (c_associated(task%yp)) call c_f_pointer(task%yp, ivp_yp, [task%n])
        result%t = task%t0
    end subroutine

    ! The most steps the user allows, as a number that fits into an element of iwork.
    integer function ivp_most_steps()
        ivp_most_steps = int(min(ivp_now%max_steps, int(huge(1), c_int64_t)))
    end function

    ! For an argument that must be an external routine, which the solver will not call.
    subroutine ivp_not_called()
        error stop "a routine was called that the arguments say is not used"
    end subroutine

    ! ---- In the external routines ----

    ! The solver's own word for an answer: 0, or what it takes as "not with this y" and as "end everything".
    integer function ivp_answer(status, refused, ended)
        integer(c_int), intent(in) :: status
        integer, intent(in) :: refused, ended
        ivp_answer = merge(ended, refused, status == ivp_stop)
        if (status == ivp_ok) ivp_answer = 0
    end function

    ! f(t, y). `difference`: for a difference quotient, which is counted apart.
    integer(c_int) function ivp_now_f(t, y, out, difference)
        real(c_double), intent(in) :: t, y(*)
        real(c_double), intent(inout) :: out(*)
        logical, intent(in) :: difference
        if (difference) then
            ivp_now_f = ivp_f_difference(ivp_now, t, y, out)
        else
            ivp_now_f = ivp_f(ivp_now, t, y, out)
        end if
    end function

    ! G(t, y, y')
    integer(c_int) function ivp_now_g(t, y, yp, out, difference)
        real(c_double), intent(in) :: t, y(*), yp(*)
        real(c_double), intent(inout) :: out(*)
        logical, intent(in) :: difference
        if (difference) then
            ivp_now_g = ivp_g_difference(ivp_now, t, y, yp, out)
        else
            ivp_now_g = ivp_g(ivp_now, t, y, yp, out)
        end if
    end function

    ! The step from t_old to t was accepted, with the solution y at t.
    integer(c_int) function ivp_now_accepted(t_old, t, y)
        real(c_double), intent(in) :: t_old, t
        real(c_double), intent(in), target :: y(ivp_now%n)
        type(ivp_step) :: step
        call ivp_begin(step)
        step%t_old = t_old
        step%t = t
        step%h = t - t_old
        step%y = c_loc(y)
        ivp_now_accepted = ivp_accepted_step(ivp_now, step)
    end function

    ! ---- After the solver has returned ----

    ! The outcome that belongs to the solver's return code: codes(k) means outcomes(k). A code that is in no list has no meaning, and the host
    ! reports that the plug-in left the outcome open.
    integer(c_int32_t) function ivp_outcome(code, codes, outcomes)
        integer, intent(in) :: code, codes(:)
        integer(c_int32_t), intent(in) :: outcomes(:)
        integer :: k
        ivp_outcome = ivp_unfinished
        do k = 1, min(size(codes), size(outcomes))
            if (codes(k) == code) ivp_outcome = outcomes(k)
        end do
    end function

    ! The solver's counts. Leave out what it does not count. `difference_jacobians` are those it formed itself, by difference quotients.
    subroutine ivp_leave(result, steps, accepted, rejected, real_lu, solves, difference_jacobians)
        type(ivp_result), intent(inout) :: result
        integer, intent(in) :: steps, accepted, rejected
        integer, intent(in), optional :: real_lu, solves, difference_jacobians
        integer :: k
        result%steps = steps
        result%accepted = accepted
        result%error_rejections = rejected
        if (present(real_lu)) then
            do k = 1, real_lu
                call ivp_factorised(ivp_now, 1, 0)
            end do
        end if
        if (present(solves)) call ivp_solved(ivp_now, solves)
        if (present(difference_jacobians)) then
            do k = 1, difference_jacobians
                call ivp_jacobian_by_differences(ivp_now)
            end do
        end if
    end subroutine
end module
