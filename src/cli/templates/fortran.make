# make: builds @NAME@.so.   make run: shows it at work.   make clean
FC = gfortran
FFLAGS = -std=f2008 -O2 -Wall -Wno-unused-dummy-argument
IVP = @TOOL@

@NAME@.so: ivp/ivp_plugin.f90 @NAME@.f90
	$(FC) $(FFLAGS) -shared -fPIC -o $@ $^

run: @NAME@.so
	"$(IVP)" run @RUN@ --rtol 1e-4

clean:
	rm -f @NAME@.so *.mod

.PHONY: run clean
