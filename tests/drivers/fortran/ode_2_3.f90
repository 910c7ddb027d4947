! The decay of ode_1996.f in free form and in the format of release 2.3. The rates are in an included file.
integer function pidate()
    pidate = 20060828
end function

subroutine prob(fullnm, problm, type, neqn, ndisc, t, numjac, mljac, mujac, &
                nummas, mlmas, mumas, ind)
    implicit none
    character(*) :: fullnm, problm, type
    integer :: neqn, ndisc, mljac, mujac, mlmas, mumas, ind(*)
    double precision :: t(0:*)
    logical :: numjac, nummas
    fullnm = 'Decay, A -> B -> C ! in one line'; problm = 'decay'; type = 'ODE'
    neqn = 3
    ndisc = 0
    t(0) = 0
    t(1) = 2
    numjac = .true.
    mljac = neqn
    mujac = neqn
end subroutine

subroutine init(neqn, t, y, yprime, consis)
    implicit none
    integer :: neqn
    double precision :: t, y(neqn), yprime(neqn)
    logical :: consis
    y = [1, 0, 0]
end subroutine

subroutine settolerances(neqn, rtol, atol, tolvec)
    implicit none
    integer :: neqn
    double precision :: rtol(neqn), atol(neqn)
    logical :: tolvec
    tolvec = .false.
end subroutine

subroutine setoutput(neqn, solref, printsolout, nindsol, indsol)
    implicit none
    integer :: neqn, nindsol, indsol(neqn), i
    logical :: solref, printsolout
    solref = .true.
    printsolout = .false.
end subroutine

subroutine feval(neqn, t, y, yprime, f, ierr, rpar, ipar)
    implicit none
    integer :: neqn, ierr, ipar(*)
    double precision :: t, y(neqn), yprime(neqn), f(neqn), rpar(*)
    include 'rates.inc'
    f(1) = -rate1*y(1)
    f(2) = rate1*y(1) - rate2*y(2)
    f(3) = rate2*y(2)
end subroutine

subroutine solut(neqn, t, y)
    implicit none
    integer :: neqn
    double precision :: t, y(neqn)
    include 'rates.inc'
    y(1) = exp(-2*rate1)
    y(2) = rate1/(rate2 - rate1)*(exp(-2*rate1) - exp(-2*rate2))
    y(3) = 1 - y(1) - y(2)
end subroutine
