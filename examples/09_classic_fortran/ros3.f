C     ROS3: a solver for  M y' = f(x,y)  in the classic style of Fortran
C     77: external routines, work arrays, counts in IWORK at the end.
C
C     The method is RODAS3, a Rosenbrock method of order 3 with an
C     estimate of order 2 (A. Sandu, J.G. Verwer, J.G. Blom, E.J. Spee,
C     G.R. Carmichael, F.A. Potra, Atmospheric Environment 31 (1997)
C     3459-3472). It is stiffly accurate, so M may be singular.
C
C     N        number of equations
C     FCN      SUBROUTINE FCN(N,X,Y,F,RPAR,IPAR): F = f(X,Y). It sets
C              IPAR(1) to 1 where it refuses Y, to 2 to end everything;
C              IPAR(2) is 1 where it is called for a difference quotient
C     X,XEND   from and to; X is where Y is the solution at the end
C     Y        initial values, solution
C     H        first step; the next one on return
C     RTOL,ATOL  tolerances: numbers (ITOL = 0) or vectors (ITOL = 1)
C     JAC      SUBROUTINE JAC(N,X,Y,DFY,LDFY,RPAR,IPAR): DFY = df/dy,
C              called where IJAC = 1; else difference quotients
C     MAS      SUBROUTINE MAS(N,AM,LMAS,RPAR,IPAR): AM = M, called where
C              IMAS = 1; else M is the identity
C     SOLOUT   SUBROUTINE SOLOUT(NR,XOLD,X,Y,N,RPAR,IPAR,IRTRN), called
C              after each step where IOUT = 1; IRTRN < 0 ends everything
C     WORK     of length LWORK >= N*(3*N+9)
C     IWORK    of length LIWORK >= N+20. IWORK(2): most steps.
C              On return IWORK(14) ... IWORK(20): evaluations of f, of
C              its Jacobian, steps, accepted steps, rejected steps, LU
C              decompositions, solutions of linear systems
C     IDID     1: done, 2: ended by FCN or SOLOUT, -2: more steps are
C              needed, -3: the step became too small, -1: wrong arguments
      SUBROUTINE ROS3(N,FCN,X,Y,XEND,H,RTOL,ATOL,ITOL,JAC,IJAC,MAS,
     &                IMAS,SOLOUT,IOUT,WORK,LWORK,IWORK,LIWORK,RPAR,
     &                IPAR,IDID)
      INTEGER N,ITOL,IJAC,IMAS,IOUT,LWORK,LIWORK,IWORK(LIWORK)
      INTEGER IPAR(*),IDID
      DOUBLE PRECISION X,Y(N),XEND,H,RTOL(*),ATOL(*),WORK(LWORK)
      DOUBLE PRECISION RPAR(*)
      EXTERNAL FCN,JAC,MAS,SOLOUT
      INTEGER NN,I
      IDID = -1
      IF (LWORK.LT.N*(3*N+9) .OR. LIWORK.LT.N+20) RETURN
      DO 10 I=14,20
         IWORK(I) = 0
   10 CONTINUE
      NN = N*N
      CALL ROS3C(N,FCN,X,Y,XEND,H,RTOL,ATOL,ITOL,JAC,IJAC,MAS,IMAS,
     &           SOLOUT,IOUT,WORK,WORK(NN+1),WORK(2*NN+1),WORK(3*NN+1),
     &           IWORK,IWORK(21),RPAR,IPAR,IDID)
      RETURN
      END

      SUBROUTINE ROS3C(N,FCN,X,Y,XEND,H,RTOL,ATOL,ITOL,JAC,IJAC,MAS,
     &                 IMAS,SOLOUT,IOUT,DFY,AM,E,V,IWORK,IP,RPAR,IPAR,
     &                 IDID)
      INTEGER N,ITOL,IJAC,IMAS,IOUT,IWORK(20),IP(N),IPAR(*),IDID
      DOUBLE PRECISION X,Y(N),XEND,H,RTOL(*),ATOL(*),DFY(N,N),AM(N,N)
      DOUBLE PRECISION E(N,N),V(N,9),RPAR(*)
      EXTERNAL FCN,JAC,MAS,SOLOUT
      INTEGER I,J,K,IRTRN,INFO,NMAX
      DOUBLE PRECISION GAMMA,DX,XOLD,ERR,FAC,S
      PARAMETER (GAMMA=0.5D0)
      LOGICAL LAST,NEW
C     V: f, df/dx, four stages, right-hand side, trial, value of M times
      NMAX = IWORK(2)
      IF (NMAX.EQ.0) NMAX = 100000
      DO 20 J=1,N
         DO 10 I=1,N
            AM(I,J) = 0D0
   10    CONTINUE
         AM(J,J) = 1D0
   20 CONTINUE
      IF (IMAS.EQ.1) CALL MAS(N,AM,N,RPAR,IPAR)
      NEW = .TRUE.
C     ---- one attempt ----
   30 CONTINUE
      IF (IWORK(16).GE.NMAX) THEN
         IDID = -2
         RETURN
      ENDIF
      LAST = X+1.0001D0*H.GE.XEND
      IF (LAST) H = XEND-X
      IF (.NOT.LAST .AND. ABS(H).LE.4D-16*ABS(X)) THEN
         IDID = -3
         RETURN
      ENDIF
      IPAR(1) = 0
      IPAR(2) = 0
      IF (NEW) THEN
         CALL FCN(N,X,Y,V(1,1),RPAR,IPAR)
         DX = 1.5D-8*MAX(1D-5,ABS(X))
         IF (X+DX.GT.XEND) DX = -DX
         IF (IPAR(1).EQ.0) CALL FCN(N,X+DX,Y,V(1,2),RPAR,IPAR)
         IF (IPAR(1).EQ.0) THEN
            IF (IJAC.EQ.1) THEN
               CALL JAC(N,X,Y,DFY,N,RPAR,IPAR)
            ELSE
               CALL ROS3J(N,FCN,X,Y,V(1,1),DFY,RPAR,IPAR)
            ENDIF
         ENDIF
         IWORK(14) = IWORK(14)+2
         IWORK(15) = IWORK(15)+1
         IF (IPAR(1).NE.0) THEN
            IDID = 2
            RETURN
         ENDIF
         DO 40 I=1,N
            V(I,2) = (V(I,2)-V(I,1))/DX
   40    CONTINUE
         NEW = .FALSE.
      ENDIF
      IWORK(16) = IWORK(16)+1
      DO 60 J=1,N
         DO 50 I=1,N
            E(I,J) = AM(I,J)/(GAMMA*H)-DFY(I,J)
   50    CONTINUE
   60 CONTINUE
      CALL ROS3D(N,E,IP,INFO)
      IWORK(19) = IWORK(19)+1
      IF (INFO.NE.0) GOTO 190
C     ---- the four stages; the first two share f ----
      DO 70 I=1,N
         V(I,3) = V(I,1)+0.5D0*H*V(I,2)
   70 CONTINUE
      CALL ROS3S(N,E,IP,V(1,3))
      DO 80 I=1,N
         V(I,7) = 4D0/H*V(I,3)
   80 CONTINUE
      CALL ROS3M(N,AM,V(1,7),V(1,9))
      DO 90 I=1,N
         V(I,4) = V(I,1)+V(I,9)+1.5D0*H*V(I,2)
   90 CONTINUE
      CALL ROS3S(N,E,IP,V(1,4))
      DO 100 I=1,N
         V(I,8) = Y(I)+2D0*V(I,3)
         V(I,7) = (V(I,3)-V(I,4))/H
  100 CONTINUE
      CALL FCN(N,X+H,V(1,8),V(1,5),RPAR,IPAR)
      IWORK(14) = IWORK(14)+1
      IWORK(20) = IWORK(20)+2
      IF (IPAR(1).NE.0) GOTO 190
      CALL ROS3M(N,AM,V(1,7),V(1,9))
      DO 110 I=1,N
         V(I,5) = V(I,5)+V(I,9)
  110 CONTINUE
      CALL ROS3S(N,E,IP,V(1,5))
      DO 120 I=1,N
         V(I,8) = V(I,8)+V(I,5)
         V(I,7) = V(I,7)-8D0/3D0/H*V(I,5)
  120 CONTINUE
      CALL FCN(N,X+H,V(1,8),V(1,6),RPAR,IPAR)
      IWORK(14) = IWORK(14)+1
      IWORK(20) = IWORK(20)+1
      IF (IPAR(1).NE.0) GOTO 190
      CALL ROS3M(N,AM,V(1,7),V(1,9))
      DO 130 I=1,N
         V(I,6) = V(I,6)+V(I,9)
  130 CONTINUE
      CALL ROS3S(N,E,IP,V(1,6))
      IWORK(20) = IWORK(20)+1
C     ---- the last stage is the estimate ----
      ERR = 0D0
      DO 140 I=1,N
         V(I,8) = V(I,8)+V(I,6)
         K = 1
         IF (ITOL.EQ.1) K = I
         S = ATOL(K)+RTOL(K)*MAX(ABS(Y(I)),ABS(V(I,8)))
         ERR = ERR+(V(I,6)/S)**2
  140 CONTINUE
      ERR = SQRT(ERR/N)
      IF (.NOT.ERR.LT.1D30) GOTO 190
      FAC = MIN(5D0,MAX(0.2D0,0.9D0/MAX(ERR,1D-10)**(1D0/3D0)))
      IF (ERR.GT.1D0) THEN
         IWORK(18) = IWORK(18)+1
         H = H*FAC
         GOTO 30
      ENDIF
      IWORK(17) = IWORK(17)+1
      XOLD = X
      X = X+H
      IF (LAST) X = XEND
      DO 150 I=1,N
         Y(I) = V(I,8)
  150 CONTINUE
      H = H*FAC
      NEW = .TRUE.
      IRTRN = 0
      IF (IOUT.EQ.1) CALL SOLOUT(IWORK(17),XOLD,X,Y,N,RPAR,IPAR,IRTRN)
      IF (IRTRN.LT.0) THEN
         IDID = 2
         RETURN
      ENDIF
      IF (.NOT.LAST) GOTO 30
      IDID = 1
      RETURN
C     ---- refused, singular or not finite: a smaller step ----
  190 CONTINUE
      IF (IPAR(1).EQ.2) THEN
         IDID = 2
         RETURN
      ENDIF
      H = 0.25D0*H
      GOTO 30
      END

C     Jacobian by difference quotients; F is f(X,Y)
      SUBROUTINE ROS3J(N,FCN,X,Y,F,DFY,RPAR,IPAR)
      INTEGER N,IPAR(*),I,J
      DOUBLE PRECISION X,Y(N),F(N),DFY(N,N),RPAR(*),S,DELTA
      EXTERNAL FCN
      IPAR(2) = 1
      DO 20 J=1,N
         S = Y(J)
         DELTA = SQRT(1D-16*MAX(1D-5,ABS(S)))
         Y(J) = S+DELTA
         IF (IPAR(1).EQ.0) CALL FCN(N,X,Y,DFY(1,J),RPAR,IPAR)
         Y(J) = S
         DO 10 I=1,N
            DFY(I,J) = (DFY(I,J)-F(I))/DELTA
   10    CONTINUE
   20 CONTINUE
      IPAR(2) = 0
      RETURN
      END

C     LU decomposition of A with exchanges of rows; INFO > 0: singular
      SUBROUTINE ROS3D(N,A,IP,INFO)
      INTEGER N,IP(N),INFO,I,J,K,M
      DOUBLE PRECISION A(N,N),S
      INFO = 0
      DO 50 K=1,N
         M = K
         DO 10 I=K+1,N
            IF (ABS(A(I,K)).GT.ABS(A(M,K))) M = I
   10    CONTINUE
         IP(K) = M
         IF (.NOT.ABS(A(M,K)).GT.0D0) THEN
            INFO = K
            RETURN
         ENDIF
         DO 20 J=1,N
            S = A(M,J)
            A(M,J) = A(K,J)
            A(K,J) = S
   20    CONTINUE
         DO 40 J=K+1,N
            S = A(K,J)/A(K,K)
            DO 30 I=K+1,N
               A(I,J) = A(I,J)-A(I,K)*S
   30       CONTINUE
   40    CONTINUE
   50 CONTINUE
      RETURN
      END

C     B becomes the solution of A x = B
      SUBROUTINE ROS3S(N,A,IP,B)
      INTEGER N,IP(N),I,K
      DOUBLE PRECISION A(N,N),B(N),S
      DO 10 K=1,N
         S = B(IP(K))
         B(IP(K)) = B(K)
         B(K) = S
   10 CONTINUE
      DO 30 K=1,N
         S = B(K)/A(K,K)
         DO 20 I=K+1,N
            B(I) = B(I)-A(I,K)*S
   20    CONTINUE
   30 CONTINUE
      DO 50 K=N,1,-1
         B(K) = B(K)/A(K,K)
         DO 40 I=1,K-1
            B(I) = B(I)-A(I,K)*B(K)
   40    CONTINUE
   50 CONTINUE
      RETURN
      END

C     Z = A*B
      SUBROUTINE ROS3M(N,A,B,Z)
      INTEGER N,I,J
      DOUBLE PRECISION A(N,N),B(N),Z(N)
      DO 10 I=1,N
         Z(I) = 0D0
   10 CONTINUE
      DO 30 J=1,N
         DO 20 I=1,N
            Z(I) = Z(I)+A(I,J)*B(J)
   20    CONTINUE
   30 CONTINUE
      RETURN
      END
