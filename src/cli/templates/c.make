# make: builds @NAME@.so.   make run: shows it at work.   make clean
CC = gcc
CFLAGS = -std=c11 -O2 -Wall -Wextra
IVP = @TOOL@

@NAME@.so: @NAME@.c ivp/plugin.h
	$(CC) $(CFLAGS) -I. -shared -fPIC -o $@ $< -lm

run: @NAME@.so
	"$(IVP)" run @RUN@ --rtol 1e-4

clean:
	rm -f @NAME@.so

.PHONY: run clean
