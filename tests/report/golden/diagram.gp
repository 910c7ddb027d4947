# Work and precision: plain. Draw it with: gnuplot plain.gp
# Problem plain. A <fast> CPU, a compiler. Right of the dashed line: beyond the 7.8 confirmed digits
# of the reference solution. Diagrams like this show these runs, with these settings, on this machine.
# They do not rank the solvers: another problem, tolerance, implementation or computer may give
# another picture.

set terminal svg size 800,500 font 'Helvetica,13' background 'white'
set output 'plain.svg'
set title 'plain' noenhanced
set xlabel 'correct digits at the end point (mescd)'
set ylabel 'CPU time [s]'
set logscale y
set format y '10^{%T}'
set grid
set key outside right top noenhanced
set arrow from 7.825, graph 0 to 7.825, graph 1 nohead dashtype 2 linecolor 'gray'  # confirmed digits of the reference

$curve0 << EOD
# fast: digits, work, rtol
4.5 0.0004 0.0001
6.5 0.0006 1e-06
7.82456 0.0008 1e-08
EOD
$curve1 << EOD
# slow: digits, work, rtol
3.5 0.004 0.0001

7.5 0.008 1e-08
# slow, rtol 1e-06: step_too_small. at t = 3 </script> & more
EOD

plot $curve0 index 0 using 1:2 with linespoints linecolor '#a4133c' dashtype 1 pointtype 7 title 'fast', \
     $curve1 index 0 using 1:2 with linespoints linecolor '#d65a7c' dashtype 1 pointtype 8 title 'slow'
