c     A pendulum of length 1, index 3, in the format of 1996 for DAEs:
c     p' = v,  v' = -lambda p - (0,g),  0 = p.p - 1.
      subroutine prob(problm,neqn,tbegin,tend,ijac,mljac,mujac,
     +                mlmas,mumas,ind1,ind2,ind3)
      character*(*) problm
      integer neqn,ijac,mljac,mujac,mlmas,mumas,ind1,ind2,ind3
      double precision tbegin,tend
      problm = 'pendulum'
      neqn   = 5
      tbegin = 0d0
      tend   = 1d0
      ijac   = 1
      mljac  = neqn
      mlmas  = 0
      mumas  = 0
      ind1   = 2
      ind2   = 2
      ind3   = 1
      return
      end

      subroutine init(neqn,y,dy,incon)
      integer neqn,incon,i
      double precision y(neqn),dy(neqn)
      do 10 i=1,neqn
         y(i)  = 0d0
         dy(i) = 0d0
   10 continue
      y(1)  = 1d0
      dy(4) = -1d0
      incon = 1
      return
      end

      subroutine feval(neqn,t,y,dy)
      integer neqn
      double precision t,y(neqn),dy(neqn)
      dy(1) = y(3)
      dy(2) = y(4)
      dy(3) = -y(5)*y(1)
      dy(4) = -y(5)*y(2)-1d0
      dy(5) = y(1)**2+y(2)**2-1d0
      return
      end

      subroutine jeval(neqn,t,y,jac,ldim)
      integer neqn,ldim,i,j
      double precision t,y(neqn),jac(ldim,neqn)
      do 20 j=1,neqn
         do 10 i=1,neqn
            jac(i,j) = 0d0
   10    continue
   20 continue
      jac(1,3) = 1d0
      jac(2,4) = 1d0
      jac(3,1) = -y(5)
      jac(3,5) = -y(1)
      jac(4,2) = -y(5)
      jac(4,5) = -y(2)
      jac(5,1) = 2d0*y(1)
      jac(5,2) = 2d0*y(2)
      return
      end

      subroutine mas(neqn,am,ldim)
      integer neqn,ldim,i
      double precision am(ldim,neqn)
      do 10 i=1,4
         am(1,i) = 1d0
   10 continue
      am(1,5) = 0d0
      return
      end

c     No solution is known in closed form: nothing is set.
      subroutine solut(neqn,y)
      integer neqn
      double precision y(neqn)
      return
      end
