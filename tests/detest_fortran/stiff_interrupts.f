C     The stiff TRUE with both interrupts on B1, and what it says after a
C     failure: 1 as it is, 2 half of each step, 3 a decision changed,
C     4 too few calls, 5 a smallest step that is too long.
C
      PROGRAM INTRPT
      INTEGER N, IND, K, I, BEFORE, TAKEN, REFUSD, INF(40), IZ, ID
      INTEGER IWT1, N1, ID1
      DOUBLE PRECISION X, XEND, HB, HM, Y(20), WT(20), W(20), C(20)
      DOUBLE PRECISION YP(20,11), WS(400), PD(400), WK(20,12), TOL
      REAL FTIM, JTIM, DTIM
      EXTERNAL FCN, PDERV
      COMMON /STCOM5/ WT, IWT1, N1, ID1
      READ *, K
      IZ = -1
      ID = 11
      CALL IVALU(N, X, XEND, HB, HM, Y, FTIM, JTIM, DTIM, W, IZ, ID)
      N1 = N
      ID1 = ID
      IWT1 = -1
      C = 0
      INF = 0
      INF(1) = 1
      INF(4) = 1
      INF(5) = 1
      TOL = 1D-4
      IF (K .GE. 4) TOL = 1D-6
      IF (K .EQ. 4) INF(3) = 60
      IF (K .EQ. 5) C(2) = 0.5D0
      IND = 2
      BEFORE = 0
      TAKEN = 0
      REFUSD = 0
   10 CALL TRUE(FCN, PDERV, 20, N, X, Y, XEND, TOL, IND, C, INF, YP,
     &          WS, PD, WK)
      IF (IND .EQ. 4) THEN
         BEFORE = BEFORE + 1
         IF (K .EQ. 2) C(12) = C(12)/2
      ELSE IF (IND .EQ. 5) THEN
         IF (C(13) .LE. X .OR. C(15) .GT. TOL) STOP 4
         TAKEN = TAKEN + 1
         IF (K .EQ. 3 .AND. TAKEN .EQ. 7) IND = 6
      ELSE IF (IND .EQ. 6) THEN
         REFUSD = REFUSD + 1
      ELSE
         PRINT '(A,I3,1P,E12.4,0P,4I5)', 'END', IND, X, BEFORE, TAKEN,
     &         REFUSD, INF(10)
         PRINT '(A,1P,5E12.4)', 'C', C(9), C(12), C(13), C(16), C(17)
         STOP
      END IF
      GO TO 10
      END
