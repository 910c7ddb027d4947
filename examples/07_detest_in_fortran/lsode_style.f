C     A METHOD for codes that are called as LSODE is: ISTATE says what
C     happened, ITASK = 5 makes one step at a time and none beyond XEND.
C     ROSODE (rosode.f) stands for such a code; with DLSODE in its place
C     nothing else changes.
C
      PROGRAM STIFF
      CHARACTER TITLE*80
      INTEGER OPTION(10), IDLIST(9)
      REAL TOL(4), FLAG
      DATA TITLE /'ROSODE, called as LSODE is'/
      DATA OPTION /3, 1, 1, 7*0/
      DATA TOL /1E-2, 1E-3, 1E-4, 0E0/
      DATA IDLIST /11, 21, -35, 0, 42, 51, -53, 0, 0/
      CALL STDTST(TITLE, OPTION, TOL, IDLIST, FLAG)
      IF (FLAG .NE. 0) STOP 2
      END
C
      SUBROUTINE METHOD(N, X, Y, XEND, TOL, HMAX, HSTART)
      INTEGER N
      DOUBLE PRECISION X, Y(N), XEND, TOL, HMAX, HSTART
      INTEGER LRW, LIW
      PARAMETER (LRW = 22 + 9*20 + 20*20, LIW = 20 + 20)
      DOUBLE PRECISION RWORK(LRW), RTOL(1), ATOL(1)
      INTEGER IWORK(LIW), ITASK, ISTATE, NFCN, NJAC, NLUD, I
      COMMON /STCOM6/ NFCN, NJAC, NLUD
      EXTERNAL FOFXY, JOFXY
C     Absolute error control.
      RTOL(1) = 0
      ATOL(1) = TOL
C     Options: no step beyond XEND; first and largest step.
      DO 10 I = 5, 10
         RWORK(I) = 0
         IWORK(I) = 0
   10 CONTINUE
      RWORK(1) = XEND
      RWORK(5) = HSTART
      RWORK(6) = HMAX
      ITASK = 5
      ISTATE = 1
   20 CALL ROSODE(FOFXY, N, Y, X, XEND, 1, RTOL, ATOL, ITASK, ISTATE,
     &            1, RWORK, LRW, IWORK, LIW, JOFXY, 21)
      IF (ISTATE .EQ. 2) THEN
         CALL STATS(X, Y, TOL, Y)
         IF (X .LT. XEND) GO TO 20
      END IF
C     Such codes factorise by themselves, once for each Jacobian.
      NLUD = IWORK(13)
      END
C
C     FCN and PDERV with the arguments that the code gives them.
C
      SUBROUTINE FOFXY(N, X, Y, YP)
      INTEGER N
      DOUBLE PRECISION X, Y(N), YP(N)
      CALL FCN(X, Y, YP)
      END
C
      SUBROUTINE JOFXY(N, X, Y, ML, MU, PD, NROWPD)
      INTEGER N, ML, MU, NROWPD
      DOUBLE PRECISION X, Y(N), PD(NROWPD,N)
      DOUBLE PRECISION DY(400)
      INTEGER I, J
      CALL PDERV(X, Y, DY)
      DO 20 J = 1, N
         DO 10 I = 1, N
            PD(I,J) = DY(I + (J-1)*N)
   10    CONTINUE
   20 CONTINUE
      END
