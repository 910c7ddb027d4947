C     What the package's GENWT and GENTIM do: the weights of A1, B2 and C3 by TRUE
C     in steps, and the time of FCN. There is no METHOD.
C
      PROGRAM GENWT
      INTEGER N, IZ, IID, IND, K, I, IDS(3), IWT1, N1, ID1, CALLS
      DOUBLE PRECISION T, XEND, HB, HM, Y(51), W(51), WT(51), C(24)
      DOUBLE PRECISION WS(51,9), TOL
      REAL FTIM, S, CLOCK, CONST
      EXTERNAL FN
      COMMON /NSCOM5/ WT, IWT1, N1, ID1
      DATA IDS /1, 12, 23/
      DO 50 K = 1, 3
         IID = IDS(K)
         IZ = -1
         CALL IVALU(N, T, XEND, HB, HM, Y, FTIM, W, IZ, IID)
         N1 = N
         ID1 = IID
         IWT1 = -1
         DO 10 I = 1, N
            W(I) = ABS(Y(I))
   10    CONTINUE
         C = 0
         C(4) = HB
         C(9) = 1
         TOL = 1D-8
         IND = 2
   20    CALL TRUE(N, FN, T, Y, XEND, TOL, IND, C, 51, WS)
         IF (IND .EQ. 6) GO TO 20
         DO 30 I = 1, N
            W(I) = MAX(ABS(Y(I)), W(I))
   30    CONTINUE
         IF (IND .LT. 0) STOP 3
         IF (IND .NE. 3) GO TO 20
         PRINT '(I3,1P,51E10.2)', IID, (W(I), I = 1, N)
         CALLS = 0
         S = CLOCK(0.0)
   40    CALL FCN(T, Y, WS)
         CALLS = CALLS + 1
         IF (CLOCK(S) .LT. CONST(4)/10) GO TO 40
         IF (CALLS .LT. 10) STOP 4
   50 CONTINUE
      END
C
      SUBROUTINE FN(N, T, Y, YP)
      INTEGER N
      DOUBLE PRECISION T, Y(N), YP(N)
      CALL FCN(T, Y, YP)
      END
