c     The cascade of ide_1996.f in the format of release 2.3, without
c     analytic matrices.
      integer function pidate()
      pidate = 20060828
      return
      end

      subroutine prob(fullnm,problm,type,
     +                neqn,ndisc,t,
     +                numjac,mljac,mujac,
     +                nummas,mlmas,mumas,
     +                ind)
      character*(*) fullnm, problm, type
      integer neqn,ndisc,mljac,mujac,mlmas,mumas,ind(*)
      double precision t(0:*)
      logical numjac, nummas
      fullnm = 'Cascade'
      problm = 'cascade'
      type   = 'IDE'
      neqn   = 3
      ndisc  = 0
      t(0)   = 0d0
      t(1)   = 3d0
      numjac = .true.
      mljac  = neqn
      mujac  = neqn
      nummas = .true.
      mlmas  = neqn
      mumas  = neqn
      ind(1) = 1
      ind(2) = 1
      ind(3) = 1
      return
      end

      subroutine init(neqn,t,y,yprime,consis)
      integer neqn
      double precision t,y(neqn),yprime(neqn)
      logical consis
      y(1)      = 1d0
      y(2)      = 0.5d0
      y(3)      = 0.25d0
      yprime(1) = -1d0
      yprime(2) = 1d0
      yprime(3) = 1d0
      consis    = .true.
      return
      end

      subroutine settolerances(neqn,rtol,atol,tolvec)
      integer neqn
      double precision rtol(neqn),atol(neqn)
      logical tolvec
      tolvec = .false.
      return
      end

      subroutine setoutput(neqn,solref,printsolout,nindsol,indsol)
      integer neqn,nindsol,indsol(neqn)
      logical solref,printsolout
      solref      = .true.
      printsolout = .true.
      nindsol     = neqn
      do i=1,neqn
         indsol(i) = i
      end do
      return
      end

      subroutine feval(neqn,t,y,yprime,f,ierr,rpar,ipar)
      integer neqn,ierr,ipar(*)
      double precision t,y(neqn),yprime(neqn),f(neqn),rpar(*)
      f(1) = yprime(1)+y(1)
      f(2) = yprime(2)+y(1)*yprime(1)
      f(3) = y(3)-y(2)**2
      return
      end

      subroutine jeval(ldim,neqn,t,y,yprime,dfdy,ierr,rpar,ipar)
      integer ldim,neqn,ierr,ipar(*)
      double precision t,y(neqn),yprime(neqn),dfdy(ldim,neqn),rpar(*)
      return
      end

      subroutine meval(ldim,neqn,t,y,yprime,dfddy,ierr,rpar,ipar)
      integer ldim,neqn,ierr,ipar(*)
      double precision t,y(neqn),yprime(neqn),dfddy(ldim,neqn),rpar(*)
      return
      end

      subroutine solut(neqn,t,y)
      integer neqn
      double precision t,y(neqn)
      y(1) = exp(-3d0)
      y(2) = 1d0-exp(-6d0)/2d0
      y(3) = y(2)**2
      return
      end
