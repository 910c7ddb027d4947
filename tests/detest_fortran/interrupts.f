C     Both interrupts of TRUE, what C tells, a decision that is changed, and
C     failures: 5 a smallest step that is too long, 6 too few calls.
C
      PROGRAM INTRPT
      INTEGER IND, K, BEFORE, TAKEN, REFUSD
      DOUBLE PRECISION X, Y(1), C(24), W(1,9), XEND, TOL, XOLD
      EXTERNAL F
      READ *, K
      X = 0
      Y(1) = 1
      C = 0
      C(1) = 1
      C(8) = 1
      C(9) = 1
      XEND = 2
      TOL = 1D-6
      IND = 2
      BEFORE = 0
      TAKEN = 0
      REFUSD = 0
      IF (K .EQ. 4 .OR. K .EQ. 5) C(3) = 1.5D0
      IF (K .EQ. 6) C(7) = 60
   10 XOLD = X
      CALL TRUE(1, F, X, Y, XEND, TOL, IND, C, 1, W)
      IF (IND .EQ. 4) THEN
         BEFORE = BEFORE + 1
C        Half of what it would take.
         IF (K .EQ. 2) C(14) = C(14)/2
      ELSE IF (IND .EQ. 5) THEN
         IF (X .NE. XOLD .OR. C(17) .LE. X) STOP 4
         IF (ABS(C(17) - X - C(18)) .GT. 1D-12) STOP 5
         IF (C(19) .GT. TOL .OR. C(13) .GT. C(14)) STOP 6
         TAKEN = TAKEN + 1
C        The third step is not good enough for the caller.
         IF (K .EQ. 3 .AND. TAKEN .EQ. 3) IND = 6
      ELSE IF (IND .EQ. 6) THEN
         REFUSD = REFUSD + 1
         IF (K .EQ. 4) IND = 5
      ELSE
         PRINT '(A,I3,F8.4,4I4,F12.8)', 'END', IND, X, BEFORE, TAKEN,
     &         REFUSD, INT(C(22)), Y(1)
         PRINT '(A,1P,3E12.4,0P,F8.4)', 'C', C(12), C(13), C(16), C(17)
         STOP
      END IF
      GO TO 10
      END
C
      SUBROUTINE F(N, X, Y, YP)
      INTEGER N
      DOUBLE PRECISION X, Y(N), YP(N)
      YP(1) = -5*Y(1)
      END
