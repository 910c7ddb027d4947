C     A stiff problem of the program's own, A5: the equations of A1 with
C     another name, and their Jacobian (own_parchk.f admits it). WRONG in
C     COMMON is a factor of the Jacobian: 1 is right.
C
      SUBROUTINE FCN(X, Y, YP)
      DOUBLE PRECISION X, Y(20), YP(20), WT(20)
      COMMON /STCOM5/ WT, IWT1, N1, ID1
      COMMON /STCOM6/ NFCN, NJAC, NLUD
      NFCN = NFCN + 1
      IF (ID1 .NE. 5) STOP 5
      YP(1) = -0.5D0*Y(1)
      YP(2) = -Y(2)
      YP(3) = -100*Y(3)
      YP(4) = -90*Y(4)
      END
C
      SUBROUTINE PDERV(X, Y, DY)
      DOUBLE PRECISION X, Y(20), DY(4,4), WRONG
      COMMON /STCOM6/ NFCN, NJAC, NLUD
      COMMON /OWN/ WRONG, NPD
      NJAC = NJAC + 1
      NPD = NPD + 1
      DY = 0
      DY(1,1) = -0.5D0*WRONG
      DY(2,2) = -WRONG
      DY(3,3) = -100*WRONG
      DY(4,4) = -90*WRONG
      END
C
      SUBROUTINE IVALU(N, XSTART, XEND, HBEGIN, HMAX, Y, FCNTIM, JACTIM,
     &                 DDTIM, W, IWT, ID)
      INTEGER N, IWT, ID, I
      DOUBLE PRECISION XSTART, XEND, HBEGIN, HMAX, Y(20), W(20)
      REAL FCNTIM, JACTIM, DDTIM
      N = 4
      XSTART = 0
      XEND = 20
      HBEGIN = 1D-2
      HMAX = 20
      DO 10 I = 1, 4
         W(I) = 1
         Y(I) = 1
   10 CONTINUE
      FCNTIM = 0
      JACTIM = 0
      DDTIM = 0
      END
C
      SUBROUTINE EVALU(Y, N, W, IWT, ID)
      INTEGER N, IWT, ID
      DOUBLE PRECISION Y(20), W(20)
      Y(1) = EXP(-10D0)
      Y(2) = EXP(-20D0)
      Y(3) = 0
      Y(4) = 0
      END
