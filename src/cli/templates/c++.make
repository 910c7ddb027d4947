# make: builds @NAME@.so.   make run: shows it at work.   make clean
CXX = g++
CXXFLAGS = -std=c++17 -O2 -Wall -Wextra
IVP = @TOOL@

@NAME@.so: @NAME@.cpp ivp/plugin.h
	$(CXX) $(CXXFLAGS) -I. -shared -fPIC -o $@ $<

run: @NAME@.so
	"$(IVP)" run @RUN@ --rtol 1e-4

clean:
	rm -f @NAME@.so

.PHONY: run clean
