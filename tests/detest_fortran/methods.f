C     METHODs with faults, chosen by a number that is read. Explicit Euler
C     with steps of 1/20 on A1, unscaled, at 1E-2.
C
      PROGRAM FAULTS
      INTEGER OPTION(10), IDLIST(3), KIND
      REAL TOL(2), FLAG
      COMMON /CHOICE/ KIND
      DATA OPTION /3, 0, 1, 7*0/
      DATA TOL /1E-2, 0E0/
      DATA IDLIST /-11, 0, 0/
      READ *, KIND
      CALL NSDTST('FAULTS', OPTION, TOL, IDLIST, FLAG)
      PRINT '(A,F3.0)', 'ANSWER', FLAG
      END
C
      SUBROUTINE METHOD(N, X, Y, XEND, TOL, HMAX, HSTART)
      INTEGER N
      DOUBLE PRECISION X, Y(N), XEND, TOL, HMAX, HSTART
      DOUBLE PRECISION H, YP(51), XE, HS
      INTEGER OPTION(10), IDLIST(3), KIND, NN, IFLAG, INDL, INDG
      REAL TOLS(2), FLAG
      COMMON /CHOICE/ KIND
      COMMON /NSCOM2/ XE, HS, NN, IFLAG, INDL, INDG
      DATA OPTION /1, 0, 1, 7*0/
      DATA TOLS /1E-2, 0E0/
      DATA IDLIST /-11, 0, 0/
      IF (KIND .EQ. 1) THEN
C        Not even started.
         X = X + 1
         RETURN
      ELSE IF (KIND .EQ. 5) THEN
C        A run inside a run.
         CALL NSDTST('INSIDE', OPTION, TOLS, IDLIST, FLAG)
         PRINT '(A,F3.0)', 'INSIDE', FLAG
         RETURN
      END IF
   10 H = MIN(XEND - X, 5D-2)
      CALL FCN(X, Y, YP)
      Y(1) = Y(1) + H*YP(1)
      X = X + H
      CALL STATS(X, Y, TOL, Y)
      IF (X .GT. 3 .AND. X .LT. XEND) THEN
C        Given up on the way; only while it is timed; not a number.
         IF (KIND .EQ. 2) RETURN
         IF (KIND .EQ. 3 .AND. IFLAG .EQ. 0) RETURN
         IF (KIND .EQ. 4) Y(1) = SQRT(-ABS(Y(1)))
      END IF
      IF (X .LT. XEND) GO TO 10
      END
