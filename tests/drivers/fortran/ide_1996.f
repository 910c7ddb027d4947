c     Three equations in the format of 1996 for IDEs, with matrices stored as bands:
c     y1' + y1 = 0,  y2' + y1 y1' = 0,  y3 - y2**2 = 0.
      subroutine prob(problm,neqn,tbegin,tend,ijac,mljac,mujac,
     +                ind1,ind2,ind3)
      character*(*) problm
      integer neqn,ijac,mljac,mujac,ind1,ind2,ind3
      double precision tbegin,tend
      problm = 'cascade'
      neqn   = 3
      tbegin = 0d0
      tend   = 3d0
      ijac   = 1
      mljac  = 1
      mujac  = 0
      ind1   = 3
      ind2   = 0
      ind3   = 0
      return
      end

      subroutine init(neqn,y,dy,incon)
      integer neqn,incon
      double precision y(neqn),dy(neqn)
      y(1)  = 1d0
      y(2)  = 0.5d0
      y(3)  = 0.25d0
      dy(1) = -1d0
      dy(2) = 1d0
      dy(3) = 1d0
      incon = 1
      return
      end

      subroutine geval(neqn,t,y,dy,g)
      integer neqn
      double precision t,y(neqn),dy(neqn),g(neqn)
      g(1) = dy(1)+y(1)
      g(2) = dy(2)+y(1)*dy(1)
      g(3) = y(3)-y(2)**2
      return
      end

      subroutine jeval(neqn,t,y,dy,dgdy,dgddy,ldim)
      integer neqn,ldim
      double precision t,y(neqn),dy(neqn)
      double precision dgdy(ldim,neqn),dgddy(ldim,neqn)
      dgdy(1,1) = 1d0
      dgdy(1,2) = 0d0
      dgdy(1,3) = 1d0
      dgdy(2,1) = dy(1)
      dgdy(2,2) = -2d0*y(2)
      dgddy(1,1) = 1d0
      dgddy(1,2) = 1d0
      dgddy(1,3) = 0d0
      dgddy(2,1) = y(1)
      dgddy(2,2) = 0d0
      return
      end

      subroutine solut(neqn,y)
      integer neqn
      double precision y(neqn)
      y(1) = exp(-3d0)
      y(2) = 1d0-exp(-6d0)/2d0
      y(3) = y(2)**2
      return
      end
