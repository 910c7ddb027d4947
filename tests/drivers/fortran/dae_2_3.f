c     Two capacitors that share a node, and a diode, in the format of
c     release 2.3. M is a band matrix, tolerances differ by component.
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
      integer neqn,ndisc,mljac,mujac,mlmas,mumas,ind(*),i
      double precision t(0:*)
      logical numjac, nummas
      fullnm = 'Problem RECTIFIER'
      problm = 'rectify'
      type   = 'DAE'
      neqn   = 3
      ndisc  = 0
      t(0)   = 0d0
      t(1)   = 4d0
      numjac = .false.
      mljac  = neqn
      mujac  = neqn
      mlmas  = 1
      mumas  = 0
      do 10 i=1,neqn
         ind(i) = 0
   10 continue
      return
      end

      subroutine init(neqn,t,y,yprime,consis)
      integer neqn
      double precision t,y(neqn),yprime(neqn)
      logical consis
      y(1) = 1d0
      y(2) = 0d0
      y(3) = exp(1d0)-1d0
      yprime(1) = -1d0
      yprime(2) = exp(1d0)
      yprime(3) = exp(1d0)*(yprime(1)-yprime(2))
      consis = .true.
      return
      end

      subroutine settolerances(neqn,rtol,atol,tolvec)
      integer neqn,i
      double precision rtol(neqn),atol(neqn)
      logical tolvec
      tolvec = .true.
      do 10 i=2,neqn
         rtol(i) = rtol(1)
         atol(i) = 1d-1*atol(1)
   10 continue
      return
      end

      subroutine setoutput(neqn,solref,printsolout,nindsol,indsol)
      integer neqn,nindsol,indsol(neqn)
      logical solref,printsolout
      solref      = .false.
      printsolout = .true.
      nindsol     = 2
      indsol(1)   = 1
      indsol(2)   = 2
      return
      end

c     y(1), y(2): voltages, y(3): current of the diode between them.
c     M = (1,0,0 / 1,1,0 / 0,0,0)
      subroutine feval(neqn,t,y,yprime,f,ierr,rpar,ipar)
      integer neqn,ierr,ipar(*)
      double precision t,y(neqn),yprime(neqn),f(neqn),rpar(*)
      if (y(1)-y(2).gt.100d0) then
         ierr = -1
         return
      endif
      f(1) = -y(1)
      f(2) = y(3)-y(2)
      f(3) = exp(y(1)-y(2))-1d0-y(3)
      return
      end

      subroutine jeval(ldim,neqn,t,y,yprime,dfdy,ierr,rpar,ipar)
      integer ldim,neqn,ierr,ipar(*),i,j
      double precision t,y(neqn),yprime(neqn),dfdy(ldim,neqn),rpar(*)
      do 20 j=1,neqn
         do 10 i=1,neqn
            dfdy(i,j) = 0d0
   10    continue
   20 continue
      dfdy(1,1) = -1d0
      dfdy(2,2) = -1d0
      dfdy(2,3) = 1d0
      dfdy(3,1) = exp(y(1)-y(2))
      dfdy(3,2) = -exp(y(1)-y(2))
      dfdy(3,3) = -1d0
      return
      end

      subroutine meval(ldim,neqn,t,y,yprime,dfddy,ierr,rpar,ipar)
      integer ldim,neqn,ierr,ipar(*)
      double precision t,y(neqn),yprime(neqn),dfddy(ldim,neqn),rpar(*)
      dfddy(1,1) = 1d0
      dfddy(1,2) = 1d0
      dfddy(1,3) = 0d0
      dfddy(2,1) = 1d0
      dfddy(2,2) = 0d0
      dfddy(2,3) = 0d0
      return
      end

      subroutine solut(neqn,t,y)
      integer neqn
      double precision t,y(neqn)
      return
      end
