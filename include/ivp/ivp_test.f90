! The problems of ivp for programs in Fortran 2008: the functions of ivp/ivp.h, which explains them, with the same names and
! arguments. Texts are Fortran strings; ivp_open stands for ivp_test_open, ivp_submit for ivp_test_submit. Link with libivp_c.
module ivp_test
    use, intrinsic :: iso_c_binding
    implicit none
    private
    public :: ivp_open, ivp_submit, ivp_error
    public :: ivp_test_close, ivp_test_dimension, ivp_test_form, ivp_test_t0, ivp_test_tend, ivp_test_initial, ivp_test_tolerances
    public :: ivp_test_first_step, ivp_test_f, ivp_test_g, ivp_test_f_difference, ivp_test_g_difference, ivp_test_jacobian
    public :: ivp_test_partials, ivp_test_mass, ivp_test_mass_multiply, ivp_test_count, ivp_test_counts, ivp_test_begin
    public :: ivp_test_digits, ivp_test_jacobian_band, ivp_test_jacobian_sparse, ivp_test_time_derivative
    public :: ivp_test_partials_band, ivp_test_partials_sparse, ivp_test_parameter_count, ivp_test_parameter, ivp_test_set
    public :: ivp_test_facts, ivp_test_reference, ivp_test_make
    public :: ivp_counts, ivp_submission

    type, bind(C) :: ivp_counts
        integer(c_int32_t) :: version = 1, size = 64
        integer(c_int64_t) :: nfev = 0, nfev_jac = 0, njac = 0, nlu = 0, nsolve = 0, refused = 0, nonfinite = 0
    end type

    type, bind(C) :: ivp_submission
        integer(c_int32_t) :: version = 1, size = 96
        type(c_ptr) :: solver = c_null_ptr, solver_version = c_null_ptr, language = c_null_ptr, message = c_null_ptr
        real(c_double) :: rtol = 0
        type(c_ptr) :: atol = c_null_ptr
        real(c_double) :: t = 0
        type(c_ptr) :: y = c_null_ptr
        integer(c_int64_t) :: steps = 0, accepted = 0
        integer(c_int32_t) :: outcome = 0, reserved = 0
    end type

    interface
        type(c_ptr) function c_open(id, parameters, form) bind(C, name="ivp_test_open")
            import
            character(kind=c_char), intent(in) :: id(*), parameters(*)
            integer(c_int32_t), value :: form
        end function
        type(c_ptr) function c_submit(test, run, store) bind(C, name="ivp_test_submit")
            import
            type(c_ptr), value :: test, store
            type(ivp_submission), intent(in) :: run
        end function
        type(c_ptr) function c_last_error() bind(C, name="ivp_last_error")
            import
        end function
        pure integer(c_size_t) function strlen(text) bind(C)
            import
            type(c_ptr), value :: text
        end function

        subroutine ivp_test_close(test) bind(C)
            import
            type(c_ptr), value :: test
        end subroutine
        integer(c_int32_t) function ivp_test_dimension(test) bind(C)
            import
            type(c_ptr), value :: test
        end function
        integer(c_int32_t) function ivp_test_form(test) bind(C)
            import
            type(c_ptr), value :: test
        end function
        real(c_double) function ivp_test_t0(test) bind(C)
            import
            type(c_ptr), value :: test
        end function
        real(c_double) function ivp_test_tend(test) bind(C)
            import
            type(c_ptr), value :: test
        end function
        ! yp: c_null_ptr, or c_loc of n numbers
        integer(c_int) function ivp_test_initial(test, y, yp) bind(C)
            import
            type(c_ptr), value :: test, yp
            real(c_double), intent(out) :: y(*)
        end function
        integer(c_int) function ivp_test_tolerances(test, rtol, rtol_out, atol_out) bind(C)
            import
            type(c_ptr), value :: test
            real(c_double), value :: rtol
            real(c_double), intent(out) :: rtol_out(*), atol_out(*)
        end function
        real(c_double) function ivp_test_first_step(test, rtol) bind(C)
            import
            type(c_ptr), value :: test
            real(c_double), value :: rtol
        end function
        integer(c_int) function ivp_test_f(test, t, y, out) bind(C)
            import
            type(c_ptr), value :: test
            real(c_double), value :: t
            real(c_double), intent(in) :: y(*)
            real(c_double), intent(inout) :: out(*)
        end function
        integer(c_int) function ivp_test_g(test, t, y, yp, out) bind(C)
            import
            type(c_ptr), value :: test
            real(c_double), value :: t
            real(c_double), intent(in) :: y(*), yp(*)
            real(c_double), intent(inout) :: out(*)
        end function
        integer(c_int) function ivp_test_f_difference(test, t, y, out) bind(C)
            import
            type(c_ptr), value :: test
            real(c_double), value :: t
            real(c_double), intent(in) :: y(*)
            real(c_double), intent(inout) :: out(*)
        end function
        integer(c_int) function ivp_test_g_difference(test, t, y, yp, out) bind(C)
            import
            type(c_ptr), value :: test
            real(c_double), value :: t
            real(c_double), intent(in) :: y(*), yp(*)
            real(c_double), intent(inout) :: out(*)
        end function
        integer(c_int) function ivp_test_jacobian_band(test, t, y, out, ld) bind(C)
            import
            type(c_ptr), value :: test
            real(c_double), value :: t
            real(c_double), intent(in) :: y(*)
            integer(c_int32_t), value :: ld
            real(c_double), intent(inout) :: out(ld, *)
        end function
        integer(c_int) function ivp_test_jacobian_sparse(test, t, y, out, entries) bind(C)
            import
            type(c_ptr), value :: test
            real(c_double), value :: t
            real(c_double), intent(in) :: y(*)
            real(c_double), intent(inout) :: out(*)
            integer(c_int32_t), value :: entries
        end function
        integer(c_int) function ivp_test_time_derivative(test, t, y, out) bind(C)
            import
            type(c_ptr), value :: test
            real(c_double), value :: t
            real(c_double), intent(in) :: y(*)
            real(c_double), intent(inout) :: out(*)
        end function
        integer(c_int) function ivp_test_partials_band(test, t, y, yp, a, b, out, ld) bind(C)
            import
            type(c_ptr), value :: test
            real(c_double), value :: t, a, b
            real(c_double), intent(in) :: y(*), yp(*)
            integer(c_int32_t), value :: ld
            real(c_double), intent(inout) :: out(ld, *)
        end function
        integer(c_int) function ivp_test_partials_sparse(test, t, y, yp, a, b, out, entries) bind(C)
            import
            type(c_ptr), value :: test
            real(c_double), value :: t, a, b
            real(c_double), intent(in) :: y(*), yp(*)
            real(c_double), intent(inout) :: out(*)
            integer(c_int32_t), value :: entries
        end function
        integer(c_int32_t) function ivp_test_parameter_count(test) bind(C)
            import
            type(c_ptr), value :: test
        end function
        ! out: c_loc of an ivp_named_value (module ivp_plugin)
        integer(c_int) function ivp_test_parameter(test, which, out, value) bind(C)
            import
            type(c_ptr), value :: test, out
            integer(c_int32_t), value :: which
            real(c_double), intent(out) :: value
        end function
        ! functions: c_loc of an ivp_problem (module ivp_plugin); release: c_null_funptr, or c_funloc of a subroutine
        type(c_ptr) function ivp_test_make(functions, self, release) bind(C)
            import
            type(c_ptr), value :: functions, self
            type(c_funptr), value :: release
        end function
        integer(c_int) function c_set(test, parameters) bind(C, name="ivp_test_set")
            import
            type(c_ptr), value :: test
            character(kind=c_char), intent(in) :: parameters(*)
        end function
        type(c_ptr) function c_facts(test) bind(C, name="ivp_test_facts")
            import
            type(c_ptr), value :: test
        end function
        type(c_ptr) function c_reference(test, digits, at, count) bind(C, name="ivp_test_reference")
            import
            type(c_ptr), value :: test
            real(c_double), value :: digits
            real(c_double), intent(in) :: at(*)
            integer(c_int32_t), value :: count
        end function
        integer(c_int) function ivp_test_jacobian(test, t, y, out, ld) bind(C)
            import
            type(c_ptr), value :: test
            real(c_double), value :: t
            real(c_double), intent(in) :: y(*)
            integer(c_int32_t), value :: ld
            real(c_double), intent(inout) :: out(ld, *)
        end function
        integer(c_int) function ivp_test_partials(test, t, y, yp, a, b, out, ld) bind(C)
            import
            type(c_ptr), value :: test
            real(c_double), value :: t, a, b
            real(c_double), intent(in) :: y(*), yp(*)
            integer(c_int32_t), value :: ld
            real(c_double), intent(inout) :: out(ld, *)
        end function
        integer(c_int) function ivp_test_mass(test, out, ld) bind(C)
            import
            type(c_ptr), value :: test
            integer(c_int32_t), value :: ld
            real(c_double), intent(inout) :: out(ld, *)
        end function
        integer(c_int) function ivp_test_mass_multiply(test, x, out) bind(C)
            import
            type(c_ptr), value :: test
            real(c_double), intent(in) :: x(*)
            real(c_double), intent(inout) :: out(*)
        end function
        integer(c_int) function c_count(test, factorisations, solves, difference_jacobians) bind(C, name="ivp_test_count")
            import
            type(c_ptr), value :: test
            integer(c_int32_t), value :: factorisations, solves, difference_jacobians
        end function
        integer(c_int) function ivp_test_counts(test, out) bind(C)
            import
            type(c_ptr), value :: test
            type(ivp_counts), intent(inout) :: out
        end function
        integer(c_int) function c_begin(test) bind(C, name="ivp_test_begin")
            import
            type(c_ptr), value :: test
        end function
        ! atol: c_null_ptr for the protocol's, or c_loc of n numbers
        integer(c_int) function ivp_test_digits(test, rtol, atol, y, scd, mescd) bind(C)
            import
            type(c_ptr), value :: test, atol
            real(c_double), value :: rtol
            real(c_double), intent(in) :: y(*)
            real(c_double), intent(out) :: scd, mescd
        end function
    end interface

contains

    ! c_null_ptr: ivp_error says why.
    type(c_ptr) function ivp_open(id, parameters, form)
        character(len=*), intent(in) :: id
        character(len=*), intent(in), optional :: parameters
        integer(c_int32_t), intent(in), optional :: form
        integer(c_int32_t) :: as
        as = 0
        if (present(form)) as = form
        if (present(parameters)) then
            ivp_open = c_open(c_text(id), c_text(parameters), as)
        else
            ivp_open = c_open(c_text(id), c_text(""), as)
        end if
    end function

    integer(c_int) function ivp_test_set(test, parameters)
        type(c_ptr), intent(in) :: test
        character(len=*), intent(in) :: parameters
        ivp_test_set = c_set(test, c_text(parameters))
    end function

    ! JSON; its length is 0 where ivp_error says why there is none.
    function ivp_test_facts(test) result(text)
        type(c_ptr), intent(in) :: test
        character(len=:), allocatable :: text
        text = fortran_text(c_facts(test))
    end function

    function ivp_test_reference(test, digits, at) result(text)
        type(c_ptr), intent(in) :: test
        real(c_double), intent(in) :: digits, at(:)
        character(len=:), allocatable :: text
        text = fortran_text(c_reference(test, digits, at, int(size(at), c_int32_t)))
    end function

    ! status: 0, or that of wrong use (ivp_error says why).
    subroutine ivp_test_begin(test, status)
        type(c_ptr), intent(in) :: test
        integer(c_int), intent(out), optional :: status
        integer(c_int) :: answer
        answer = c_begin(test)
        if (present(status)) status = answer
    end subroutine

    subroutine ivp_test_count(test, factorisations, solves, difference_jacobians, status)
        type(c_ptr), intent(in) :: test
        integer(c_int32_t), intent(in) :: factorisations, solves, difference_jacobians
        integer(c_int), intent(out), optional :: status
        integer(c_int) :: answer
        answer = c_count(test, factorisations, solves, difference_jacobians)
        if (present(status)) status = answer
    end subroutine

    ! The record of a run; its length is 0 where ivp_error says why there is none. store: a file to append it to, or "".
    function ivp_submit(test, run, solver, language, store) result(record)
        type(c_ptr), intent(in) :: test
        type(ivp_submission), intent(in) :: run
        character(len=*), intent(in) :: solver, language, store
        character(len=:), allocatable :: record
        character(kind=c_char), target :: solver_text(len(solver) + 1), language_text(len(language) + 1), store_text(len(store) + 1)
        type(ivp_submission) :: complete
        type(c_ptr) :: place
        solver_text = c_text(solver)
        language_text = c_text(language)
        store_text = c_text(store)
        complete = run
        complete%solver = c_loc(solver_text)
        complete%language = c_loc(language_text)
        place = c_null_ptr
        if (len(store) > 0) place = c_loc(store_text)
        record = fortran_text(c_submit(test, complete, place))
    end function

    function ivp_error() result(text)
        character(len=:), allocatable :: text
        text = fortran_text(c_last_error())
    end function

    pure function c_text(text) result(c)
        character(len=*), intent(in) :: text
        character(kind=c_char) :: c(len(text) + 1)
        integer :: i
        do i = 1, len(text)
            c(i) = text(i:i)
        end do
        c(len(text) + 1) = c_null_char
    end function

    function fortran_text(c) result(text)
        type(c_ptr), intent(in) :: c
        character(len=:), allocatable :: text
        character(kind=c_char), pointer :: letters(:)
        integer :: i, length
        length = 0
        if (c_associated(c)) length = int(strlen(c))
        allocate (character(len=length) :: text)
        if (length == 0) return
        call c_f_pointer(c, letters, [length])
        do i = 1, length
            text(i:i) = letters(i)
        end do
    end function
end module
