C     EULER1: implicit Euler for G(t,y,y') = 0 in one-step mode, for the
C     tests. One call goes one accepted step towards TOUT.
C
C     RES      SUBROUTINE RES(T,Y,YP,DELTA,IRES): DELTA = G. IRES is 1
C              on entry for a difference quotient, else 0. It becomes -1
C              where Y is refused, -2 to end everything
C     H        step to try; the next one on return
C     RWORK    of length N*(N+5)
C     IWORK    of length N+4: the last four count steps, failed steps,
C              factorisations and Newton steps, and are set to 0 by the
C              caller before the first step
C     IDID     1: a step was made, 2: TOUT is reached, -1: the step is
C              too small, -2: ended by RES
      SUBROUTINE EULER1(RES,N,T,Y,YP,TOUT,H,RTOL,ATOL,RWORK,IWORK,IDID)
      INTEGER N,IWORK(N+4),IDID
      DOUBLE PRECISION T,Y(N),YP(N),TOUT,H,RTOL(N),ATOL(N)
      DOUBLE PRECISION RWORK(N,N+5)
      EXTERNAL RES
      INTEGER I,J,K,M,IRES
      DOUBLE PRECISION ERR,S,D,STEP,LAST
   10 CONTINUE
      STEP = MIN(H,TOUT-T)
      IDID = -1
      IF (STEP.LE.1D-15*ABS(T)) RETURN
      IWORK(N+1) = IWORK(N+1)+1
      DO 20 I=1,N
         RWORK(I,N+1) = Y(I)+STEP*YP(I)
         RWORK(I,N+2) = YP(I)
   20 CONTINUE
C     ---- Newton's iteration with a new matrix in each ----
      LAST = 1D99
      DO 90 K=1,6
         IRES = 0
         CALL RES(T+STEP,RWORK(1,N+1),RWORK(1,N+2),RWORK(1,N+3),IRES)
         IF (IRES.LT.0) GOTO 110
         DO 40 J=1,N
            S = RWORK(J,N+1)
            D = SQRT(1D-16*MAX(1D-5,ABS(S)))
            RWORK(J,N+1) = S+D
            RWORK(J,N+2) = RWORK(J,N+2)+D/STEP
            IRES = 1
            CALL RES(T+STEP,RWORK(1,N+1),RWORK(1,N+2),RWORK(1,N+4),IRES)
            RWORK(J,N+1) = S
            RWORK(J,N+2) = (S-Y(J))/STEP
            IF (IRES.LT.0) GOTO 110
            DO 30 I=1,N
               RWORK(I,J) = (RWORK(I,N+4)-RWORK(I,N+3))/D
   30       CONTINUE
   40    CONTINUE
         IWORK(N+3) = IWORK(N+3)+1
         IWORK(N+4) = IWORK(N+4)+1
C        Elimination with exchanges of rows
         DO 70 J=1,N
            M = J
            DO 50 I=J+1,N
               IF (ABS(RWORK(I,J)).GT.ABS(RWORK(M,J))) M = I
   50       CONTINUE
            IF (.NOT.ABS(RWORK(M,J)).GT.0D0) GOTO 110
            DO 55 I=J,N
               S = RWORK(M,I)
               RWORK(M,I) = RWORK(J,I)
               RWORK(J,I) = S
   55       CONTINUE
            S = RWORK(M,N+3)
            RWORK(M,N+3) = RWORK(J,N+3)
            RWORK(J,N+3) = S
            DO 65 I=J+1,N
               S = RWORK(I,J)/RWORK(J,J)
               DO 60 M=J,N
                  RWORK(I,M) = RWORK(I,M)-S*RWORK(J,M)
   60          CONTINUE
               RWORK(I,N+3) = RWORK(I,N+3)-S*RWORK(J,N+3)
   65       CONTINUE
   70    CONTINUE
         ERR = 0D0
         DO 80 I=N,1,-1
            S = RWORK(I,N+3)
            DO 75 J=I+1,N
               S = S-RWORK(I,J)*RWORK(J,N+3)
   75       CONTINUE
            RWORK(I,N+3) = S/RWORK(I,I)
            RWORK(I,N+1) = RWORK(I,N+1)-RWORK(I,N+3)
            RWORK(I,N+2) = (RWORK(I,N+1)-Y(I))/STEP
            S = ATOL(I)+RTOL(I)*ABS(Y(I))
            ERR = MAX(ERR,ABS(RWORK(I,N+3))/S)
   80    CONTINUE
         IF (ERR.LE.1D-3) GOTO 100
         IF (.NOT.ERR.LT.LAST) GOTO 110
         LAST = ERR
   90 CONTINUE
      GOTO 110
C     ---- half the change of y' is the error ----
  100 CONTINUE
      ERR = 1D-6
      DO 105 I=1,N
         S = ATOL(I)+RTOL(I)*MAX(ABS(Y(I)),ABS(RWORK(I,N+1)))
         ERR = MAX(ERR,0.5D0*STEP*ABS(RWORK(I,N+2)-YP(I))/S)
  105 CONTINUE
      IF (ERR.GT.1D0) GOTO 110
      T = T+STEP
      IF (STEP.EQ.TOUT-(T-STEP)) T = TOUT
      DO 107 I=1,N
         Y(I) = RWORK(I,N+1)
         YP(I) = RWORK(I,N+2)
  107 CONTINUE
      H = STEP*MIN(2D0,0.9D0/SQRT(ERR))
      IDID = 1
      IF (T.GE.TOUT) IDID = 2
      RETURN
C     ---- again, with a smaller step ----
  110 CONTINUE
      IDID = -2
      IF (IRES.EQ.-2) RETURN
      IWORK(N+2) = IWORK(N+2)+1
      H = STEP/4D0
      GOTO 10
      END
