C     The routines of the stiff package called by hand, and what a run leaves
C     in COMMON. Problem E3 is id 43.
C
      PROGRAM ROUTIN
      INTEGER N, I, J, PIVOTS(20), SINGUL
      REAL FTIM, JTIM, LTIM, FLAG
      DOUBLE PRECISION X, XEND, HB, HM, Y(20), W(20), YP(20), DY(400)
      DOUBLE PRECISION A(4,3), B(3), S(3), Z(20), D
      DOUBLE PRECISION WT(20), XFIN, XTRUE
      INTEGER IWT1, N1, ID1, NFCN, NJAC, NLUD
      INTEGER OPTION(10), IDLIST(3)
      REAL TOL(2), TIME, OVHD, TRUTIM, GEND, GEMX, LEMXSC
      INTEGER MFCN, MJAC, MLUD, NSTP, NSTL, NDCV, NBAD, NTRU, NSTART
      CHARACTER TITLE*80
      DOUBLE PRECISION XE, HSTART
      INTEGER NN, IFLAG, INDL, INDG
      COMMON /STCOM2/ XE, HSTART, NN, IFLAG, INDL, INDG
      COMMON /STCOM3/ XFIN, XTRUE, TIME, OVHD, TRUTIM, GEND, GEMX,
     &   LEMXSC, MFCN, MJAC, MLUD, NSTP, NSTL, NDCV, NBAD, NTRU, NSTART
      COMMON /STCOM5/ WT, IWT1, N1, ID1
      COMMON /STCOM6/ NFCN, NJAC, NLUD
      DATA TITLE /'SECDER'/
      DATA OPTION /3, 0, 1, 7*0/
      DATA TOL /1E-4, 0E0/
      DATA IDLIST /-53, 0, 0/
      IWT1 = -1
      ID1 = 43
      CALL IVALU(N, X, XEND, HB, HM, Y, FTIM, JTIM, LTIM, W, IWT1, ID1)
      N1 = N
      PRINT '(A,I3,5F10.4)', 'START', N, XEND, HB, Y(1), Y(2), Y(3)
      CALL EVALU(Z, N, W, IWT1, ID1)
      PRINT '(A,3F10.6)', 'END', Z(1), Z(2), Z(3)
      CALL EVALU(Z, N, W, 1, ID1)
      PRINT '(A,3F10.6)', 'SCALED', (Z(I)*W(I), I = 1, 3)
      NFCN = 5
      NJAC = 6
      NLUD = 7
      CALL FCN(X, Z, YP)
      CALL PDERV(X, Z, DY)
C     The Jacobian by differences.
      D = 0
      DO 20 J = 1, N
         Z(J) = Z(J) + 1D-6
         CALL FCN(X, Z, S)
         Z(J) = Z(J) - 1D-6
         DO 10 I = 1, N
            D = MAX(D, ABS((S(I) - YP(I))/1D-6 - DY(I + (J-1)*N)))
   10    CONTINUE
   20 CONTINUE
      PRINT '(A,L2)', 'JACOBIAN', D .LT. 1D-4
C     Needs row pivoting; leading dimension above the order.
      DATA A /0D0, 2D0, 4D0, 99D0, 1D0, 3D0, 1D0, 99D0, 5D0, 1D0, 1D0,
     &        99D0/
      DATA B /17D0, 11D0, 9D0/
      CALL DDCOMP(4, 3, A, PIVOTS, SINGUL)
      CALL DSOLVE(4, 3, A, PIVOTS, B, S)
      PRINT '(A,I3,3F8.4)', 'SOLVED', SINGUL, S
      DO 40 J = 1, 3
         DO 30 I = 1, 3
            A(I,J) = I*J
   30    CONTINUE
   40 CONTINUE
      CALL DDCOMP(4, 3, A, PIVOTS, SINGUL)
      PRINT '(A,I3)', 'SINGULAR', SINGUL
      PRINT '(A,3I4)', 'COUNTED', NFCN, NJAC, NLUD
      CALL STDTST(TITLE, OPTION, TOL, IDLIST, FLAG)
      PRINT '(A,9I5)', 'LEFT', MFCN, MJAC, MLUD, NSTP, NSTL, NDCV,
     &      NBAD, NTRU, NSTART
      PRINT '(A,2F8.2,1P,3E10.2)', 'ERRORS', XFIN, XTRUE, GEND, GEMX,
     &      LEMXSC
      PRINT '(A,3I4)', 'PROBLEM', IWT1, N1, ID1
      PRINT '(A,F8.2,3I3)', 'TRUTH', XE, NN, INDL, INDG
      END
