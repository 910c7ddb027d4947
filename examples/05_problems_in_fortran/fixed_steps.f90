! The problems from your own program, in Fortran 2008: take one, integrate it, ask for the digits, keep the record.
!
! The method is the classical Runge-Kutta method with equal steps: for problems that are not stiff, and for the last exercise of a
! course. The interface is the module ivp_test (ivp/ivp_test.f90).
!
!     fixed_steps PROBLEM STEPS [STORE]
program fixed_steps
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: error_unit
    use ivp_test
    implicit none
    integer, parameter :: dp = c_double
    type(c_ptr) :: test
    type(ivp_submission) :: run
    type(ivp_counts) :: counts
    real(dp), allocatable, target :: y(:)
    real(dp), allocatable :: k1(:), k2(:), k3(:), k4(:)
    real(dp) :: h, t, scd, mescd
    integer :: n, k, steps, status
    character(len=200) :: id, number, store
    character(len=:), allocatable :: record

    id = "plei"
    number = "5000"
    store = ""
    if (command_argument_count() > 0) call get_command_argument(1, id)
    if (command_argument_count() > 1) call get_command_argument(2, number)
    if (command_argument_count() > 2) call get_command_argument(3, store)
    read (number, *) steps

    test = ivp_open(trim(id))
    if (.not. c_associated(test)) then
        write (error_unit, "(a)") ivp_error()
        stop 2
    end if
    n = ivp_test_dimension(test)
    allocate (y(n), k1(n), k2(n), k3(n), k4(n))
    status = ivp_test_initial(test, y, c_null_ptr)
    t = ivp_test_t0(test)
    h = (ivp_test_tend(test) - t)/steps

    call ivp_test_begin(test) ! counts are zero, the clock runs
    do k = 1, steps
        t = ivp_test_t0(test) + (k - 1)*h
        status = ivp_test_f(test, t, y, k1)
        if (status == 0) status = ivp_test_f(test, t + h/2, y + h/2*k1, k2)
        if (status == 0) status = ivp_test_f(test, t + h/2, y + h/2*k2, k3)
        if (status == 0) status = ivp_test_f(test, t + h, y + h*k3, k4)
        if (status /= 0) exit
        y = y + h/6*(k1 + 2*k2 + 2*k3 + k4)
    end do

    run%rtol = 1e-6_dp ! of the diagram that the result belongs to; the method has no tolerance
    run%y = c_loc(y)
    run%t = merge(ivp_test_tend(test), t, status == 0)
    run%outcome = merge(0, 6, status == 0) ! IVP_SUCCESS, IVP_NOT_FINITE
    run%steps = min(k, steps)
    run%accepted = min(k, steps)
    record = ivp_submit(test, run, "rk4-example", "Fortran", trim(store))
    if (len(record) == 0) then
        write (error_unit, "(a)") ivp_error()
        stop 2
    end if
    status = ivp_test_digits(test, run%rtol, c_null_ptr, y, scd, mescd)
    status = ivp_test_counts(test, counts)
    print "(a, ', ', i0, ' equations: ', i0, ' steps, ', i0, ' evaluations, scd ', f0.2, ', mescd ', f0.2)", &
        trim(id), n, run%steps, counts%nfev, scd, mescd
    if (store /= "") print "(a)", "The record was added to "//trim(store)//"."
    call ivp_test_close(test)
end program
