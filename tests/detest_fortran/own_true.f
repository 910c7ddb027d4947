C     A TRUE of the program's own: the classical Runge-Kutta formula with 100
C     steps, for A1 only where the work array is.
C
      SUBROUTINE TRUE(N, F, X, Y, XEND, TOL, IND, C, NW, W)
      INTEGER N, IND, NW, I, NTRUE
      DOUBLE PRECISION X, Y(N), XEND, TOL, C(24), W(NW,9), H
      EXTERNAL F
      COMMON /OWN/ NTRUE
      NTRUE = NTRUE + 1
      IF (NW .NE. 51 .OR. C(1) .NE. 1 .OR. C(6) .LE. 0) STOP 7
      H = (XEND - X)/100
      DO 20 I = 1, 100
         CALL F(N, X, Y, W(1,1))
         W(1,5) = Y(1) + H/2*W(1,1)
         CALL F(N, X + H/2, W(1,5), W(1,2))
         W(1,5) = Y(1) + H/2*W(1,2)
         CALL F(N, X + H/2, W(1,5), W(1,3))
         W(1,5) = Y(1) + H*W(1,3)
         CALL F(N, X + H, W(1,5), W(1,4))
         Y(1) = Y(1) + H/6*(W(1,1) + 2*W(1,2) + 2*W(1,3) + W(1,4))
         X = X + H
   20 CONTINUE
      X = XEND
      C(14) = H
      C(24) = C(24) + 400
      IND = 3
      END
C
C     Heun's method of order 2 with Euler's inside, A1 only.
C
      SUBROUTINE METHOD(N, X, Y, XEND, TOL, HMAX, HSTART)
      INTEGER N
      DOUBLE PRECISION X, Y(N), XEND, TOL, HMAX, HSTART, H, S(1), T(1)
      DOUBLE PRECISION Z(1), E
      H = HSTART
   10 H = MIN(H, XEND - X)
      CALL FCN(X, Y, S)
   20 Z(1) = Y(1) + H*S(1)
      CALL FCN(X + H, Z, T)
      E = ABS(H/2*(T(1) - S(1)))
      IF (E .GT. TOL) THEN
         H = H/2
         GO TO 20
      END IF
      Y(1) = Y(1) + H/2*(S(1) + T(1))
      X = X + H
      IF (XEND - X .LT. 1D-12) X = XEND
      CALL STATS(X, Y, TOL, S)
      IF (E .LT. TOL/4) H = 2*H
      IF (X .LT. XEND) GO TO 10
      END
