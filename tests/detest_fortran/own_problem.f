C     A problem of the program's own, B6: the equations of A1 with another name,
C     and no problem of class A (own_parchk.f admits it alone).
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
