c     A chain of two decays, A -> B -> C, in the format of 1996 for ODEs.
c     The rates are in COMMON, where prob puts them.
      subroutine prob(problm,neqn,tbegin,tend,ijac,mljac,mujac)
      character*(*) problm
      integer neqn,ijac,mljac,mujac
      double precision tbegin,tend
      double precision rate1,rate2
      common /rates/ rate1,rate2
      problm = 'decay'
      neqn   = 3
      tbegin = 0d0
      tend   = 2d0
      ijac   = 1
      mljac  = neqn
      rate1  = 1d0
      rate2  = 50d0
      return
      end

      subroutine init(neqn,y)
      integer neqn
      double precision y(neqn)
      y(1) = 1d0
      y(2) = 0d0
      y(3) = 0d0
      return
      end

      subroutine feval(neqn,t,y,dy)
      integer neqn
      double precision t,y(neqn),dy(neqn)
      double precision rate1,rate2
      common /rates/ rate1,rate2
      dy(1) = -rate1*y(1)
      dy(2) =  rate1*y(1)-rate2*y(2)
      dy(3) =  rate2*y(2)
      return
      end

      subroutine jeval(neqn,t,y,jac,ldim)
      integer neqn,ldim,i,j
      double precision t,y(neqn),jac(ldim,neqn)
      double precision rate1,rate2
      common /rates/ rate1,rate2
      do 20 j=1,neqn
         do 10 i=1,neqn
            jac(i,j) = 0d0
   10    continue
   20 continue
      jac(1,1) = -rate1
      jac(2,1) =  rate1
      jac(2,2) = -rate2
      jac(3,2) =  rate2
      return
      end

      subroutine solut(neqn,y)
      integer neqn
      double precision y(neqn)
      double precision rate1,rate2
      common /rates/ rate1,rate2
      y(1) = exp(-2d0*rate1)
      y(2) = rate1/(rate2-rate1)*(exp(-2d0*rate1)-exp(-2d0*rate2))
      y(3) = 1d0-y(1)-y(2)
      return
      end
