C     A problem of the program's own, B6: the equations of A1 with another name,
C     and PARCHK that admits it. Class A has nothing here.
C
      SUBROUTINE FCN(X, Y, YP)
      DOUBLE PRECISION X, Y(51), YP(51), WT(51)
      COMMON /NSCOM5/ WT, IWT1, N1, ID1
      COMMON /NSCOM6/ NFCN
      NFCN = NFCN + 1
      YP(1) = -Y(1)
      IF (ID1 .NE. 16) YP(1) = -1D6
      END
C
      SUBROUTINE IVALU(N, XSTART, XEND, HBEGIN, HMAX, Y, FCNTIM, W,
     &                 IWT, ID)
      INTEGER N, IWT, ID
      DOUBLE PRECISION XSTART, XEND, HBEGIN, HMAX, Y(51), W(51)
      REAL FCNTIM
      N = 1
      XSTART = 0
      XEND = 20
      HBEGIN = 1
      HMAX = 20
      W(1) = 1
      Y(1) = 1
      FCNTIM = 0
      IF (IWT .GT. 0) Y(1) = Y(1)/W(1)
      END
C
      SUBROUTINE EVALU(Y, N, W, IWT, ID)
      INTEGER N, IWT, ID
      DOUBLE PRECISION Y(51), W(51)
      Y(1) = EXP(-20D0)
      END
C
      SUBROUTINE PARCHK(OPT, NORMEF, NRMTYP, TOL, IDLIST, NTOL, NGRP,
     &                  GRPLST, LGTOL, FLAG)
      INTEGER OPT, NORMEF, NRMTYP, IDLIST(60), NTOL, NGRP, GRPLST(2,6)
      REAL TOL(11), LGTOL(10), FLAG
      FLAG = 0
      IF (IABS(IDLIST(1)) .NE. 26) FLAG = 6
      NTOL = 0
   10 IF (TOL(NTOL+1) .EQ. 0) GO TO 20
      NTOL = NTOL + 1
      LGTOL(NTOL) = ALOG10(TOL(NTOL))
      GO TO 10
   20 NGRP = 1
      GRPLST(1,1) = 1
      GRPLST(2,1) = 0
      END
