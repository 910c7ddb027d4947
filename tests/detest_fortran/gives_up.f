C     Gives up at once.
C
      SUBROUTINE METHOD(N, X, Y, XEND, TOL, HMAX, HSTART)
      END
