C     DVERK, the non-stiff solver inside the package, assessed by the
C     package: B1 unscaled and D2 in one group, B5 in another.
C
      PROGRAM ORBITS
      CHARACTER TITLE*80
      INTEGER OPTION(10), IDLIST(6)
      REAL TOL(5), FLAG
      DATA TITLE /'DVERK'/
      DATA OPTION /4, 1, 1, 1, 6*0/
      DATA TOL /1E-2, 1E-4, 1E-6, 1E-8, 0E0/
      DATA IDLIST /-21, 42, 0, 25, 0, 0/
      CALL NSDTST(TITLE, OPTION, TOL, IDLIST, FLAG)
      IF (FLAG .NE. 0) STOP 2
      END
C
C     TRUE can be interrupted before a step is accepted (IND = 5), not after
C     it. What is about to be accepted is in C(17) and W(*,9). W(*,2) is
C     y* - y per unit of x; ERREST is y - y*. y is the better one of the two:
C     OPTION(4) = 1.
C
      SUBROUTINE METHOD(N, X, Y, XEND, TOL, HMAX, HSTART)
      INTEGER N
      DOUBLE PRECISION X, Y(N), XEND, TOL, HMAX, HSTART
      INTEGER NW
      PARAMETER (NW = 51)
      DOUBLE PRECISION C(24), W(NW,9), ERREST(NW), XNEW
      INTEGER IND, I
      EXTERNAL FCN2
      DO 10 I = 1, 9
         C(I) = 0
   10 CONTINUE
C     Absolute error control, first and largest step, interrupts.
      C(1) = 1
      C(4) = HSTART
      C(6) = HMAX
      C(9) = 1
      IND = 2
   20 CALL TRUE(N, FCN2, X, Y, XEND, TOL, IND, C, NW, W)
      IF (IND .EQ. 6) GO TO 20
      IF (IND .EQ. 5) THEN
         DO 30 I = 1, N
            ERREST(I) = -C(18)*W(I,2)
   30    CONTINUE
         XNEW = C(17)
         CALL STATS(C(17), W(1,9), TOL, ERREST)
         IF (C(17) .EQ. XNEW) GO TO 20
C        STATS has seen enough, and has set it to XEND.
         X = XEND
      END IF
      END
