C     TRUE of the non-stiff package, called in a way that is read.
C
      PROGRAM CALLS
      INTEGER IND, IND2, KIND
      DOUBLE PRECISION X, Y(2), C(40), W(2,9), XEND, TOL
      DOUBLE PRECISION X2, Y2(2), C2(40), W2(2,9), REACHD
      EXTERNAL F
      X = 0
      Y(1) = 1
      Y(2) = 0
      C = 0
      TOL = 1D-8
      XEND = 1
      IND = 2
      READ *, KIND
      GO TO (10, 20, 30, 30, 30, 40, 50, 60, 70, 90, 100, 110, 120),
     &      KIND
C     1: to 1, and on to 2.
   10 IND = 1
      CALL TRUE(2, F, X, Y, XEND, TOL, IND, C, 2, W)
      XEND = 2
      GO TO 200
C     2: two integrations side by side.
   20 C(1) = 1
      C(9) = 1
      C2 = C
      X2 = X
      Y2 = Y
      IND2 = 2
      REACHD = X
   25 IF (IND .NE. 3)
     &   CALL TRUE(2, F, X, Y, XEND, TOL, IND, C, 2, W)
C     Until a step is accepted X stays where it was.
      IF (IND .EQ. 5 .AND. (X .NE. REACHD .OR. C(17) .LE. X)) STOP 4
      IF (IND .EQ. 5) REACHD = C(17)
      IF (IND2 .NE. 3)
     &   CALL TRUE(2, F, X2, Y2, XEND, TOL, IND2, C2, 2, W2)
      IF (IND .NE. 3 .OR. IND2 .NE. 3) GO TO 25
      IF (X .EQ. X2 .AND. Y(1) .EQ. Y2(1) .AND. Y(2) .EQ. Y2(2)) THEN
         GO TO 300
      END IF
      STOP 3
C     3, 4, 5: error controls 1, 3, 5.
   30 C(1) = 2*KIND - 5
      C(2) = 1D-3
      C(31) = 1D-3
      C(32) = 1D-3
      XEND = 5
      GO TO 200
C     6: a limit of calls.
   40 C(7) = 20
      XEND = 50
      GO TO 200
C     From here on: wrong.
   50 IND = 7
      GO TO 200
   60 IND = 3
      GO TO 200
   70 TOL = 0
      GO TO 200
   90 CALL TRUE(2, F, X, Y, XEND, TOL, IND, C, 2, W)
      GO TO 200
  100 CALL TRUE(2, F, X, Y, XEND, TOL, IND, C, 2, W)
      XEND = 2
      Y(1) = 5
      GO TO 200
  110 C(9) = 1
      CALL TRUE(2, F, X, Y, XEND, TOL, IND, C, 2, W)
      IND = 4
      GO TO 200
  120 CALL TRUE(2, F, X, Y, XEND, TOL, IND, C, 1, W)
      GO TO 300
  200 CALL TRUE(2, F, X, Y, XEND, TOL, IND, C, 2, W)
  300 PRINT '(I3,3F12.8,F8.0)', IND, X, Y, C(24)
      END
C
      SUBROUTINE F(N, X, Y, YP)
      INTEGER N
      DOUBLE PRECISION X, Y(N), YP(N)
      YP(1) = -Y(1)
      YP(2) = X
      END
C
C     Never called, but the library wants it.
C
      SUBROUTINE METHOD(N, X, Y, XEND, TOL, HMAX, HSTART)
      END
