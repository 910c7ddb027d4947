c     A driver in the style of the test set: it solves whatever problem
c     it is linked with, by ROS3, and prints what that took.
c
c     The problem is a file in the format of release 2.0 or later, or a
c     library that 'ivp export PROBLEM --fortran DIR' wrote.
      program ros3d
      integer maxneq,lwork,liwork
      parameter (maxneq=400,lwork=maxneq*(3*maxneq+9),liwork=maxneq+20)
      integer neqn,ndisc,mljac,mujac,mlmas,mumas,ind(maxneq)
      integer iwork(liwork),icount(14:20),ipar(2),idid,i,k,ntol
      integer imas,ijac
      double precision t(0:100),y(maxneq),yprime(maxneq),yref(maxneq)
      double precision rtol(maxneq),atol(maxneq),h0,h,x,work(lwork)
      double precision rpar(1),err
      logical numjac,nummas,consis,tolvec
      character fullnm*40, problm*8, type*3
      external rosf,rosj,rosm,roso
      common /band/ mljac,mujac,mlmas,mumas

      call prob(fullnm,problm,type,neqn,ndisc,t,numjac,mljac,mujac,
     +          nummas,mlmas,mumas,ind)
      if (type.eq.'IDE') then
         print *, 'ROS3D: ERROR: can not solve IDEs'
         stop 1
      endif
      do 10 i=1,neqn
         if (type.eq.'DAE' .and. ind(i).gt.1) then
            print *, 'ROS3D: ERROR: can not solve higher index problems'
            stop 1
         endif
   10 continue
      call init(neqn,t(0),y,yprime,consis)
      read *, rtol(1), atol(1), h0
      call settolerances(neqn,rtol,atol,tolvec)
      ntol = 0
      if (tolvec) ntol = 1
      ijac = 1
      if (numjac) ijac = 0
      imas = 0
      if (type.eq.'DAE') imas = 1

      do 20 k=14,20
         icount(k) = 0
   20 continue
      do 50 i=0,ndisc
         do 30 k=1,20
            iwork(k) = 0
   30    continue
         iwork(2) = 1000000
         x = t(i)
         h = h0
         call ros3(neqn,rosf,x,y,t(i+1),h,rtol,atol,ntol,rosj,ijac,rosm,
     +             imas,roso,0,work,lwork,iwork,liwork,rpar,ipar,idid)
         if (idid.ne.1) then
            print *, 'ROS3D: ERROR: ROS3 returned IDID = ', idid
            stop 1
         endif
         do 40 k=14,20
            icount(k) = icount(k)+iwork(k)
   40    continue
   50 continue

      call solut(neqn,t(ndisc+1),yref)
      err = 0d0
      do 60 i=1,neqn
         print '(a,i3,a,e24.16)', 'y(', i, ') = ', y(i)
         err = max(err,abs(y(i)-yref(i))/(atol(1)/rtol(1)+abs(yref(i))))
   60 continue
      print '(3a)', 'Solving ', fullnm, ' using ROS3'
      print '(a,f8.2)', 'digits of the mixed error      ', -log10(err)
      print '(a,i8)', 'number of integration steps    ', icount(16)
      print '(a,i8)', 'number of accepted steps       ', icount(17)
      print '(a,i8)', 'number of f evaluations        ', icount(14)
      print '(a,i8)', 'number of Jacobian evaluations ', icount(15)
      print '(a,i8)', 'number of LU decompositions    ', icount(19)
      end

      subroutine rosf(n,x,y,f,rpar,ipar)
      integer n,ipar(*),ierr
      double precision x,y(n),f(n),rpar(*)
      ierr = 0
      call feval(n,x,y,y,f,ierr,rpar,ipar)
      if (ierr.ne.0) ipar(1) = 1
      return
      end

c     ROS3 wants full matrices: a band goes there element by element.
      subroutine rosj(n,x,y,dfy,ldfy,rpar,ipar)
      integer n,ldfy,ipar(*),ierr,mljac,mujac,mlmas,mumas
      double precision x,y(n),dfy(ldfy,n),rpar(*)
      common /band/ mljac,mujac,mlmas,mumas
      ierr = 0
      call jeval(ldfy,n,x,y,y,dfy,ierr,rpar,ipar)
      if (mljac.lt.n) call unband(n,mljac,mujac,dfy,ldfy)
      if (ierr.ne.0) ipar(1) = 1
      return
      end

      subroutine rosm(n,am,lmas,rpar,ipar)
      integer n,lmas,ipar(*),ierr,mljac,mujac,mlmas,mumas
      double precision am(lmas,n),rpar(*)
      common /band/ mljac,mujac,mlmas,mumas
      ierr = 0
      call meval(lmas,n,0d0,rpar,rpar,am,ierr,rpar,ipar)
      if (mlmas.lt.n) call unband(n,mlmas,mumas,am,lmas)
      return
      end

      subroutine unband(n,ml,mu,a,lda)
      integer n,ml,mu,lda,i,j
      double precision a(lda,n),column(400)
      do 30 j=1,n
         do 10 i=1,ml+mu+1
            column(i) = a(i,j)
   10    continue
         do 20 i=1,n
            a(i,j) = 0d0
            if (i-j.le.ml .and. j-i.le.mu) a(i,j) = column(i-j+mu+1)
   20    continue
   30 continue
      return
      end

      subroutine roso(nr,xold,x,y,n,rpar,ipar,irtrn)
      integer nr,n,ipar(*),irtrn
      double precision xold,x,y(n),rpar(*)
      return
      end
