C     Nothing is timed, so that tests are quick.
C
      REAL FUNCTION CONST(I)
      INTEGER I
      REAL C(4)
      DATA C /2.22E-16, 1E-37, 6E0, 0E0/
      CONST = 0
      IF (I .LT. 0) CONST = ICHAR(' ')
      IF (I .GE. 1 .AND. I .LE. 4) CONST = C(I)
      END
