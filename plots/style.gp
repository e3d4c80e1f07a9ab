# The look of weaklab's figures; every .gp that `plot` writes begins with it.
# Colours: Okabe and Ito's palette, which the colour-blind tell apart too.
set encoding utf8
set datafile commentschars '#'
set datafile missing NaN
set style line 1 lc rgb '#0072b2' lw 2.0 dt 1 pt 7 ps 0.8
set style line 2 lc rgb '#d55e00' lw 2.0 dt 2 pt 11 ps 1.0
set style line 3 lc rgb '#009e73' lw 2.0 dt 4 pt 9 ps 1.0
set style line 4 lc rgb '#cc79a7' lw 2.0 dt 3 pt 13 ps 1.0
set style line 5 lc rgb '#e69f00' lw 2.0 dt 5 pt 5 ps 0.8
set style line 6 lc rgb '#56b4e9' lw 2.0 dt 1 pt 6 ps 1.0
set style line 7 lc rgb '#000000' lw 2.0 dt 2 pt 8 ps 1.0
set style line 8 lc rgb '#999999' lw 1.0 dt 1 pt 4 ps 0.5
set border 3 lc rgb '#444444'
set tics nomirror out
set grid lc rgb '#dddddd' lw 0.8 dt 1
set key outside bottom center horizontal noenhanced
