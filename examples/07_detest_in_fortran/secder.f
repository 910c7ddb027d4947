C     SECDER, the stiff solver inside the package, assessed by the package
C     on problem E3.
C
      PROGRAM E3
      CHARACTER TITLE*80
      INTEGER OPTION(10), IDLIST(3)
      REAL TOL(5), FLAG
      DATA TITLE /'SECDER'/
      DATA OPTION /2, 2, 1, 7*0/
      DATA TOL /1E-2, 1E-4, 1E-6, 1E-8, 0E0/
      DATA IDLIST /53, 0, 0/
      CALL STDTST(TITLE, OPTION, TOL, IDLIST, FLAG)
      IF (FLAG .NE. 0) STOP 2
      END
C
C     TRUE can be interrupted before a step is accepted (IND = 5), not after
C     it. What is about to be accepted is in C(13) and WK(*,1).
C
      SUBROUTINE METHOD(N, X, Y, XEND, TOL, HMAX, HSTART)
      INTEGER N
      DOUBLE PRECISION X, Y(N), XEND, TOL, HMAX, HSTART
      INTEGER NDIM
      PARAMETER (NDIM = 20)
      DOUBLE PRECISION C(20), YP(NDIM,11), W(400), PD(400), WK(NDIM,12)
      DOUBLE PRECISION XNEW
      INTEGER INF(40), IND, I, NFCN, NJAC, NLUD
      COMMON /STCOM6/ NFCN, NJAC, NLUD
      EXTERNAL FCN, PDERV
      DO 10 I = 1, 5
         C(I) = 0
         INF(I) = 0
   10 CONTINUE
C     Absolute error control, interrupts.
      INF(1) = 1
      INF(5) = 1
C     Smallest, largest and first step.
      C(2) = 1E-12
      C(4) = HMAX
      C(5) = HSTART
      IND = 2
   20 CALL TRUE(FCN, PDERV, NDIM, N, X, Y, XEND, TOL, IND, C, INF, YP,
     &          W, PD, WK)
      IF (IND .EQ. 6) GO TO 20
      IF (IND .EQ. 5) THEN
         XNEW = C(13)
         CALL STATS(C(13), WK(1,1), TOL, WK(1,12))
         IF (C(13) .EQ. XNEW) GO TO 20
C        STATS has seen enough, and has set it to XEND.
         X = XEND
      END IF
      NLUD = INF(15)
      END
