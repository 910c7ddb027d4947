C     A user's CONST and CLOCK: unit 17, and a clock that always says 0.1.
C
      REAL FUNCTION CONST(I)
      INTEGER I
      CHARACTER NAME*32
      REAL C(4)
      DATA C /2.22E-16, 1E-37, 17E0, 5E-2/
      DATA NAME /'ABACUS'/
      CONST = 0
      IF (I .GE. 1 .AND. I .LE. 4) CONST = C(I)
      IF (I .LT. 0) CONST = ICHAR(NAME(-I:-I))
      END
C
      REAL FUNCTION CLOCK(S)
      REAL S
      CLOCK = 0.1
      END
