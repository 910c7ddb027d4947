c     Heat in a rod of neqn points in the format of release 2.0; the left
c     end is heated until t = 0.5, a discontinuity. The Jacobian is a band.
      subroutine prob(fullnm,problm,type,
     +                neqn,ndisc,t,
     +                numjac,mljac,mujac,
     +                nummas,mlmas,mumas,
     +                ind)
      character*(*) fullnm, problm, type
      integer neqn,ndisc,mljac,mujac,mlmas,mumas,ind(*)
      double precision t(0:*)
      logical numjac, nummas
      fullnm = 'Heated rod'
      problm = 'rod'
      type   = 'ODE'
      neqn   = 6
      ndisc  = 1
      t(0)   = 0d0
      t(1)   = 0.5d0
      t(2)   = 2d0
      numjac = .false.
      mljac  = 1
      mujac  = 1
      return
      end

      subroutine init(neqn,t,y,yprime,consis)
      integer neqn,i
      double precision t,y(neqn),yprime(neqn)
      logical consis
      do 10 i=1,neqn
         y(i) = 0d0
   10 continue
      return
      end

      subroutine feval(neqn,t,y,yprime,f,ierr,rpar,ipar)
      integer neqn,ierr,ipar(*),i
      double precision t,y(neqn),yprime(neqn),f(neqn),rpar(*)
      double precision left,right,heat
      heat = 0d0
      if (t.le.0.5d0) heat = 1d0
      do 10 i=1,neqn
         left  = heat
         right = 0d0
         if (i.gt.1)    left  = y(i-1)
         if (i.lt.neqn) right = y(i+1)
         f(i) = 49d0*(left-2d0*y(i)+right)
   10 continue
      return
      end

      subroutine jeval(ldim,neqn,t,y,yprime,dfdy,ierr,rpar,ipar)
      integer ldim,neqn,ierr,ipar(*),i
      double precision t,y(neqn),yprime(neqn),dfdy(ldim,neqn),rpar(*)
      do 10 i=1,neqn
         dfdy(1,i) = 49d0
         dfdy(2,i) = -98d0
         dfdy(3,i) = 49d0
   10 continue
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
      return
      end
