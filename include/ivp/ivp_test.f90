! The problems and solvers of ivp for programs in Fortran 2008: all functions of ivp/ivp.h, which explains them, with the same
! names and arguments. Texts are Fortran strings; one that a function returns has the length 0 if there is none, and ivp_error
! says why. ivp_open is ivp_test_open, ivp_submit for ivp_test_submit, ivp_error for ivp_last_error. Link with libivp_c.
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
    public :: ivp_test_describe, ivp_catalog_size, ivp_catalog_id, ivp_catalog_solver_count, ivp_catalog_solver
    public :: ivp_catalog_settings, ivp_version, ivp_measure, ivp_solver_open, ivp_solver_make, ivp_solver_close
    public :: ivp_solver_facts, ivp_solver_refusal, ivp_solve, ivp_solution_close, ivp_solution_record, ivp_solution_size
    public :: ivp_solution_points, ivp_solution_at, ivp_solution_store, ivp_measure_all, ivp_choose, ivp_store_add
    public :: ivp_store_records, ivp_store_query, ivp_counts, ivp_submission, ivp_settings
    integer(c_int32_t), parameter, public :: ivp_keep_end = 0, ivp_keep_steps = 1, ivp_keep_dense = 2

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

    type, bind(C) :: ivp_settings
        integer(c_int32_t) :: version = 1, size = 96
        real(c_double) :: rtol = 0
        type(c_ptr) :: atol = c_null_ptr
        real(c_double) :: h0 = 0, hmax = 0, tend = 0, timeout_s = 0
        integer(c_int64_t) :: max_steps = 0
        integer(c_int32_t) :: repeat = 0, differences = 0
        type(c_ptr) :: options = c_null_ptr
        integer(c_int32_t) :: no_restart = 0, reserved = 0
        type(c_ptr) :: others = c_null_ptr
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
        ! out: c_loc of an ivp_problem_description (module ivp_plugin)
        integer(c_int) function ivp_test_describe(test, out) bind(C)
            import
            type(c_ptr), value :: test, out
        end function

        integer(c_int32_t) function ivp_catalog_size() bind(C)
            import
        end function
        integer(c_int32_t) function ivp_catalog_solver_count() bind(C)
            import
        end function
        type(c_ptr) function c_catalog_id(which) bind(C, name="ivp_catalog_id")
            import
            integer(c_int32_t), value :: which
        end function
        type(c_ptr) function c_catalog_solver(which) bind(C, name="ivp_catalog_solver")
            import
            integer(c_int32_t), value :: which
        end function
        type(c_ptr) function c_catalog_settings() bind(C, name="ivp_catalog_settings")
            import
        end function
        type(c_ptr) function c_version() bind(C, name="ivp_version")
            import
        end function

        type(c_ptr) function c_measure(test, solver, solve, data, settings, store) bind(C, name="ivp_measure")
            import
            type(c_ptr), value :: test, solver, data, store
            type(c_funptr), value :: solve
            type(ivp_settings), intent(in) :: settings
        end function
        type(c_ptr) function c_solver_open(name) bind(C, name="ivp_solver_open")
            import
            character(kind=c_char), intent(in) :: name(*)
        end function
        ! description: c_loc of an ivp_solver_description (module ivp_plugin); solve: c_funloc of a subroutine;
        ! release: c_null_funptr, or as solve
        type(c_ptr) function ivp_solver_make(description, solve, data, release) bind(C)
            import
            type(c_ptr), value :: description, data
            type(c_funptr), value :: solve, release
        end function
        subroutine ivp_solver_close(solver) bind(C)
            import
            type(c_ptr), value :: solver
        end subroutine
        type(c_ptr) function c_solver_facts(solver) bind(C, name="ivp_solver_facts")
            import
            type(c_ptr), value :: solver
        end function
        type(c_ptr) function c_solver_refusal(solver, test) bind(C, name="ivp_solver_refusal")
            import
            type(c_ptr), value :: solver, test
        end function
        type(c_ptr) function c_solve(test, solver, settings, keep) bind(C, name="ivp_solve")
            import
            type(c_ptr), value :: test, solver
            type(ivp_settings), intent(in) :: settings
            integer(c_int32_t), value :: keep
        end function
        subroutine ivp_solution_close(solution) bind(C)
            import
            type(c_ptr), value :: solution
        end subroutine
        type(c_ptr) function c_solution_record(solution) bind(C, name="ivp_solution_record")
            import
            type(c_ptr), value :: solution
        end function
        integer(c_int64_t) function ivp_solution_size(solution) bind(C)
            import
            type(c_ptr), value :: solution
        end function
        integer(c_int) function ivp_solution_points(solution, t, y, count) bind(C)
            import
            type(c_ptr), value :: solution
            real(c_double), intent(inout) :: t(*), y(*)
            integer(c_int64_t), value :: count
        end function
        integer(c_int) function ivp_solution_at(solution, t, count, y) bind(C)
            import
            type(c_ptr), value :: solution
            real(c_double), intent(in) :: t(*)
            integer(c_int64_t), value :: count
            real(c_double), intent(inout) :: y(*)
        end function
        integer(c_int) function c_solution_store(solution, db) bind(C, name="ivp_solution_store")
            import
            type(c_ptr), value :: solution
            character(kind=c_char), intent(in) :: db(*)
        end function
        type(c_ptr) function c_measure_all(test, solvers, solver_count, rtol, rtol_count, settings, db) &
            bind(C, name="ivp_measure_all")
            import
            type(c_ptr), value :: test, db
            type(c_ptr), intent(in) :: solvers(*)
            integer(c_int32_t), value :: solver_count, rtol_count
            real(c_double), intent(in) :: rtol(*)
            type(ivp_settings), intent(in) :: settings
        end function
        type(c_ptr) function c_choose(test, solvers, digits, budget_s) bind(C, name="ivp_choose")
            import
            type(c_ptr), value :: test, solvers
            real(c_double), value :: digits, budget_s
        end function
        integer(c_int64_t) function c_store_add(db, records) bind(C, name="ivp_store_add")
            import
            character(kind=c_char), intent(in) :: db(*), records(*)
        end function
        type(c_ptr) function c_store_records(db) bind(C, name="ivp_store_records")
            import
            character(kind=c_char), intent(in) :: db(*)
        end function
        type(c_ptr) function c_store_query(db, sql) bind(C, name="ivp_store_query")
            import
            character(kind=c_char), intent(in) :: db(*), sql(*)
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

    ! JSON; if its length is 0, ivp_error says why.
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

    ! The record of a run; if its length is 0, ivp_error says why. store: a file to append it to, or "".
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

    ! ---- The catalog ----

    function ivp_catalog_id(which) result(text)
        integer(c_int32_t), intent(in) :: which
        character(len=:), allocatable :: text
        text = fortran_text(c_catalog_id(which))
    end function

    function ivp_catalog_solver(which) result(text)
        integer(c_int32_t), intent(in) :: which
        character(len=:), allocatable :: text
        text = fortran_text(c_catalog_solver(which))
    end function

    function ivp_catalog_settings() result(text)
        character(len=:), allocatable :: text
        text = fortran_text(c_catalog_settings())
    end function

    function ivp_version() result(text)
        character(len=:), allocatable :: text
        text = fortran_text(c_version())
    end function

    ! ---- Solvers and runs ----

    ! solver: c_loc of an ivp_solver_description (module ivp_plugin); solve: c_funloc of a subroutine. store: a file, or "".
    function ivp_measure(test, solver, solve, data, settings, store) result(record)
        type(c_ptr), intent(in) :: test, solver, data
        type(c_funptr), intent(in) :: solve
        type(ivp_settings), intent(in) :: settings
        character(len=*), intent(in) :: store
        character(len=:), allocatable :: record
        character(kind=c_char), target :: store_text(len(store) + 1)
        store_text = c_text(store)
        record = fortran_text(c_measure(test, solver, solve, data, settings, &
                                        merge(c_loc(store_text), c_null_ptr, len(store) > 0)))
    end function

    type(c_ptr) function ivp_solver_open(name)
        character(len=*), intent(in) :: name
        ivp_solver_open = c_solver_open(c_text(name))
    end function

    function ivp_solver_facts(solver) result(text)
        type(c_ptr), intent(in) :: solver
        character(len=:), allocatable :: text
        text = fortran_text(c_solver_facts(solver))
    end function

    function ivp_solver_refusal(solver, test) result(text)
        type(c_ptr), intent(in) :: solver, test
        character(len=:), allocatable :: text
        text = fortran_text(c_solver_refusal(solver, test))
    end function

    ! others: as settings%others, a Fortran string.
    type(c_ptr) function ivp_solve(test, solver, settings, keep, others)
        type(c_ptr), intent(in) :: test, solver
        type(ivp_settings), intent(in) :: settings
        integer(c_int32_t), intent(in) :: keep
        character(len=*), intent(in), optional :: others
        character(kind=c_char), allocatable, target :: others_text(:)
        type(ivp_settings) :: complete
        complete = settings
        if (present(others)) then
            others_text = c_text(others)
            complete%others = c_loc(others_text)
        end if
        ivp_solve = c_solve(test, solver, complete, keep)
    end function

    function ivp_solution_record(solution) result(text)
        type(c_ptr), intent(in) :: solution
        character(len=:), allocatable :: text
        text = fortran_text(c_solution_record(solution))
    end function

    integer(c_int) function ivp_solution_store(solution, db)
        type(c_ptr), intent(in) :: solution
        character(len=*), intent(in) :: db
        ivp_solution_store = c_solution_store(solution, c_text(db))
    end function

    ! db: a store, or "".
    function ivp_measure_all(test, solvers, rtol, settings, db) result(records)
        type(c_ptr), intent(in) :: test, solvers(:)
        real(c_double), intent(in) :: rtol(:)
        type(ivp_settings), intent(in) :: settings
        character(len=*), intent(in) :: db
        character(len=:), allocatable :: records
        character(kind=c_char), target :: db_text(len(db) + 1)
        db_text = c_text(db)
        records = fortran_text(c_measure_all(test, solvers, int(size(solvers), c_int32_t), rtol, &
                                             int(size(rtol), c_int32_t), settings, &
                                             merge(c_loc(db_text), c_null_ptr, len(db) > 0)))
    end function

    ! solvers: names separated by commas, or "" for all.
    function ivp_choose(test, solvers, digits, budget_s) result(text)
        type(c_ptr), intent(in) :: test
        character(len=*), intent(in) :: solvers
        real(c_double), intent(in) :: digits, budget_s
        character(len=:), allocatable :: text
        character(kind=c_char), target :: solvers_text(len(solvers) + 1)
        solvers_text = c_text(solvers)
        text = fortran_text(c_choose(test, merge(c_loc(solvers_text), c_null_ptr, len(solvers) > 0), digits, budget_s))
    end function

    ! ---- Stores ----

    integer(c_int64_t) function ivp_store_add(db, records)
        character(len=*), intent(in) :: db, records
        ivp_store_add = c_store_add(c_text(db), c_text(records))
    end function

    function ivp_store_records(db) result(text)
        character(len=*), intent(in) :: db
        character(len=:), allocatable :: text
        text = fortran_text(c_store_records(c_text(db)))
    end function

    function ivp_store_query(db, sql) result(text)
        character(len=*), intent(in) :: db, sql
        character(len=:), allocatable :: text
        text = fortran_text(c_store_query(c_text(db), c_text(sql)))
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
