C     ROSODE: a small stiff solver with the arguments of LSODE, so much of
C     them as METHOD in lsode_style.f needs: y' = f(y), ITOL = 1, ITASK = 5,
C     MF = 21. ISTATE: 1 at the start, 2 after a step, -1 too many attempts,
C     -3 something else is asked for, -4 the steps become too small.
C     RWORK(1) no step beyond, (5) first step, (6) largest, (12) next.
C     IWORK(11) steps, (12) evaluations of f, (13) Jacobians.
C
C     RODAS3 of Sandu, Verwer, Blom, Spee, Carmichael and Potra (1997):
C     Rosenbrock, order 3 with an estimate of order 2, L-stable.
C
      SUBROUTINE ROSODE(F, NEQ, Y, T, TOUT, ITOL, RTOL, ATOL, ITASK,
     &                  ISTATE, IOPT, RWORK, LRW, IWORK, LIW, JAC, MF)
      EXTERNAL F, JAC
      INTEGER NEQ, ITOL, ITASK, ISTATE, IOPT, LRW, LIW, IWORK(LIW), MF
      DOUBLE PRECISION Y(NEQ), T, TOUT, RTOL(1), ATOL(1), RWORK(LRW)
      INTEGER MAXDIM, I, J, ATTEMPT, SINGUL, PIVOTS(20)
      PARAMETER (MAXDIM = 20)
      DOUBLE PRECISION A(MAXDIM,MAXDIM), DF(MAXDIM,MAXDIM)
      DOUBLE PRECISION F0(MAXDIM), FY(MAXDIM), R(MAXDIM), YNEW(MAXDIM)
      DOUBLE PRECISION K1(MAXDIM), K2(MAXDIM), K3(MAXDIM), K4(MAXDIM)
      DOUBLE PRECISION H, ERR, FACTOR, LEFT
      IF (ITOL .NE. 1 .OR. ITASK .NE. 5 .OR. IOPT .NE. 1 .OR. MF .NE. 21
     &    .OR. NEQ .GT. MAXDIM .OR. ISTATE .LT. 1 .OR. ISTATE .GT. 2)
     &   THEN
         ISTATE = -3
         RETURN
      END IF
      IF (ISTATE .EQ. 1) THEN
         RWORK(12) = RWORK(5)
         IWORK(11) = 0
         IWORK(12) = 0
         IWORK(13) = 0
      END IF
      CALL F(NEQ, T, Y, F0)
      CALL JAC(NEQ, T, Y, 0, 0, DF, MAXDIM)
      IWORK(12) = IWORK(12) + 1
      DO 80 ATTEMPT = 1, 50
         LEFT = RWORK(1) - T
         H = MIN(RWORK(12), RWORK(6))
C        Two equal steps rather than a tiny last one.
         IF (H .GE. LEFT) THEN
            H = LEFT
         ELSE
            H = MIN(H, LEFT/2)
         END IF
         IF (T + H/10 .EQ. T) THEN
            ISTATE = -4
            RETURN
         END IF
C        2/H - df/dy
         DO 20 J = 1, NEQ
            DO 10 I = 1, NEQ
               A(I,J) = -DF(I,J)
   10       CONTINUE
            A(J,J) = A(J,J) + 2/H
   20    CONTINUE
         CALL DDCOMP(MAXDIM, NEQ, A, PIVOTS, SINGUL)
         IWORK(13) = IWORK(13) + 1
         CALL DSOLVE(MAXDIM, NEQ, A, PIVOTS, F0, K1)
         DO 30 I = 1, NEQ
            R(I) = F0(I) + 4*K1(I)/H
   30    CONTINUE
         CALL DSOLVE(MAXDIM, NEQ, A, PIVOTS, R, K2)
         DO 40 I = 1, NEQ
            YNEW(I) = Y(I) + 2*K1(I)
   40    CONTINUE
         CALL F(NEQ, T + H, YNEW, FY)
         DO 50 I = 1, NEQ
            R(I) = FY(I) + (K1(I) - K2(I))/H
   50    CONTINUE
         CALL DSOLVE(MAXDIM, NEQ, A, PIVOTS, R, K3)
         DO 60 I = 1, NEQ
            YNEW(I) = YNEW(I) + K3(I)
   60    CONTINUE
         CALL F(NEQ, T + H, YNEW, FY)
         IWORK(12) = IWORK(12) + 2
         DO 65 I = 1, NEQ
            R(I) = FY(I) + (K1(I) - K2(I) - 8*K3(I)/3)/H
   65    CONTINUE
         CALL DSOLVE(MAXDIM, NEQ, A, PIVOTS, R, K4)
C        K4 is the difference of the two solutions.
         ERR = 0
         DO 70 I = 1, NEQ
            YNEW(I) = YNEW(I) + K4(I)
            ERR = MAX(ERR, ABS(K4(I))/(ATOL(1) + RTOL(1)*ABS(Y(I))))
   70    CONTINUE
         FACTOR = 5
         IF (125*ERR .GT. 1) FACTOR = 1/ERR**(1E0/3)
         RWORK(12) = 9*H*FACTOR/10
         IF (FACTOR .LT. 1E-1) RWORK(12) = H/10
         IF (SINGUL .NE. 0 .OR. ERR .NE. ERR) RWORK(12) = H/2
         IF (SINGUL .EQ. 0 .AND. ERR .LE. 1) GO TO 90
   80 CONTINUE
      ISTATE = -1
      RETURN
   90 DO 100 I = 1, NEQ
         Y(I) = YNEW(I)
  100 CONTINUE
      T = T + H
      IF (H .EQ. LEFT) T = RWORK(1)
      IWORK(11) = IWORK(11) + 1
      ISTATE = 2
      END
