C     What the stiff package's GENTIM does: the times of FCN, of PDERV and
C     of DDCOMP for I - 0.1 J at the end values of A1, B2 and E3.
C
      PROGRAM GENTIM
      INTEGER N, K, I, J, IZ, ID, IDS(3), IWT1, N1, ID1, CALLS, PIV(20)
      INTEGER WHICH, IER, NFCN, NJAC, NLUD
      DOUBLE PRECISION X, XEND, HB, HM, Y(20), W(20), WT(20), YP(20)
      DOUBLE PRECISION DY(400), A(400)
      REAL FTIM, JTIM, DTIM, S, SPENT, CLOCK, CONST, TIMES(3)
      COMMON /STCOM5/ WT, IWT1, N1, ID1
      COMMON /STCOM6/ NFCN, NJAC, NLUD
      DATA IDS /1, 12, 43/
      DO 60 K = 1, 3
         ID = IDS(K)
         IZ = -1
         CALL IVALU(N, X, XEND, HB, HM, Y, FTIM, JTIM, DTIM, W, IZ, ID)
         N1 = N
         ID1 = ID
         IWT1 = -1
         NFCN = 0
         NJAC = 0
         NLUD = 0
         CALL EVALU(Y, N, W, IZ, ID)
         DO 50 WHICH = 1, 3
            CALLS = 0
            S = CLOCK(0.0)
   10       IF (WHICH .EQ. 1) CALL FCN(XEND, Y, YP)
            IF (WHICH .EQ. 2) CALL PDERV(XEND, Y, DY)
            IF (WHICH .EQ. 3) THEN
               DO 30 J = 1, N
                  DO 20 I = 1, N
                     A(I + (J-1)*N) = -0.1D0*DY(I + (J-1)*N)
   20             CONTINUE
                  A(J + (J-1)*N) = A(J + (J-1)*N) + 1
   30          CONTINUE
               CALL DDCOMP(N, N, A, PIV, IER)
               IF (IER .LT. 0) STOP 3
            END IF
            CALLS = CALLS + 1
            SPENT = CLOCK(S)
            IF (SPENT .LT. CONST(4)/10) GO TO 10
            TIMES(WHICH) = SPENT/CALLS
            IF (WHICH .EQ. 1 .AND. CALLS .NE. NFCN) STOP 4
            IF (WHICH .EQ. 2 .AND. CALLS .NE. NJAC) STOP 5
            IF (WHICH .EQ. 3 .AND. CALLS .NE. NLUD) STOP 6
   50    CONTINUE
         PRINT '(I3,1P,3E12.4)', ID, TIMES
   60 CONTINUE
      END
