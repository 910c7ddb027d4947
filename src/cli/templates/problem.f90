! @NAME@: a problem for the ivp test set, in Fortran.
!
! As written this is the problem of Kaps, stiff if eps is small:
!
!     y1' = -(1/eps + 2) y1 + y2^2/eps,    y2' = y1 - y2 - y2^2,    0 <= t <= 1,    y1(0) = y2(0) = 1
!     solution y1 = exp(-2t), y2 = exp(-t)
!
! Put your own equations into f, jacobian and initial, and what is known of them into describe. The contract in Fortran is the
! module ivp_plugin (ivp/ivp_plugin.f90); everything a problem may say is in ivp/plugin.h, under the same names.
module equations
    use ivp_plugin
    implicit none
    private

    integer, parameter :: dp = c_double

    ! One instance of the problem: its parameter values are fixed.
    type, bind(C) :: instance
        real(dp) :: eps
    end type

    ! The solution at the end, with as many digits as are certain. Without it, ivp counts and times runs, but cannot compute
    ! their digits.
    real(dp), target, save :: reference(2) = [0.13533528323661269_dp, 0.36787944117144233_dp]
    type(c_ptr), target, save :: names(2)
    type(ivp_named_value), target, save :: parameters(1)

contains

    subroutine open_problem(out) bind(C, name="ivp_problem_open")
        type(ivp_problem), intent(inout) :: out
        call ivp_begin(out)
        out%parameter_count = size(parameters)
        out%parameters = c_loc(parameters)
        call ivp_begin(parameters(1)) ! what a user can change
        parameters(1)%name = ivp_text("eps")
        parameters(1)%value = 1e-5_dp
        parameters(1)%min = 1e-12_dp
        parameters(1)%max = 1
        parameters(1)%meaning = ivp_text("small parameter: the stiffness is 1/eps")
        names = [ivp_text("fast"), ivp_text("slow")]
        out%create = c_funloc(create)
        out%destroy = c_funloc(destroy)
        out%describe = c_funloc(describe)
        out%initial = c_funloc(initial)
        out%f = c_funloc(f)
        out%jacobian = c_funloc(jacobian)
    end subroutine

    ! message: write a sentence here and return ivp_refused if the values do not fit together
    integer(c_int) function create(values, self, message) bind(C)
        real(dp), intent(in) :: values(*)
        type(c_ptr), intent(out) :: self
        character(kind=c_char), intent(inout) :: message(*)
        type(instance), pointer :: made
        allocate (made)
        made%eps = values(1)
        self = c_loc(made)
        message(1) = c_null_char
        create = ivp_ok
    end function

    subroutine destroy(self) bind(C)
        type(c_ptr), value :: self
        type(instance), pointer :: made
        call c_f_pointer(self, made)
        deallocate (made)
    end subroutine

    subroutine describe(self, out) bind(C)
        type(c_ptr), value :: self
        type(ivp_problem_description), intent(inout) :: out
        call ivp_begin(out)
        out%id = ivp_text("@NAME@")
        out%title = ivp_text("Problem of Kaps")
        out%quantity_of_interest = ivp_text("both components at the end")
        out%tags = ivp_text("academic, stiff, small, autonomous")
        out%component_names = c_loc(names)
        out%form = ivp_ode
        out%n = 2
        out%t0 = 0
        out%tend = 1
        out%reference = c_loc(reference)
        out%reference_source = ivp_text("the solution in closed form")
        out%h0_per_rtol = 1e-2_dp
    end subroutine

    ! y(t0). y'(t0) could be written to yp too, with the answer 1; the host finds it from f.
    integer(c_int) function initial(self, y, yp) bind(C)
        type(c_ptr), value :: self
        real(dp), intent(out) :: y(2)
        type(c_ptr), value :: yp
        y = 1
        initial = 0
    end function

    ! Return ivp_refused if y is outside the domain of the formula: a good solver then takes a smaller step.
    integer(c_int) function f(self, t, y, out) bind(C)
        type(instance), intent(in) :: self
        real(dp), value :: t
        real(dp), intent(in) :: y(2)
        real(dp), intent(out) :: out(2)
        out(1) = -(1/self%eps + 2)*y(1) + y(2)**2/self%eps
        out(2) = y(1) - y(2) - y(2)**2
        f = ivp_ok
    end function

    ! df/dy. Optional: without it solvers form difference quotients. 'ivp check' compares the two.
    integer(c_int) function jacobian(self, t, y, out) bind(C)
        type(instance), intent(in) :: self
        real(dp), value :: t
        real(dp), intent(in) :: y(2)
        real(dp), intent(out) :: out(2, 2)
        out(1, 1) = -(1/self%eps + 2)
        out(2, 1) = 1
        out(1, 2) = 2*y(2)/self%eps
        out(2, 2) = -1 - 2*y(2)
        jacobian = ivp_ok
    end function
end module
