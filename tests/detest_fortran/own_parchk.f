C     PARCHK of a program that has one problem of its own, 26 in IDLIST.
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
