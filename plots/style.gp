# The style of weaklab's figures; every .gp that `plot` writes begins with it.
# Colours: Okabe and Ito's palette, which colour-blind people can distinguish too.
set encoding utf8
set datafile commentschars '#'
set datafile missing NaN
set style line 1 lc rgb '#0072b2' lw 2.4 dt 1 pt 7 ps 1.1
set style line 2 lc rgb '#d55e00' lw 2.4 dt 2 pt 11 ps 1.4
set style line 3 lc rgb '#009e73' lw 2.4 dt 4 pt 9 ps 1.4
set style line 4 lc rgb '#cc79a7' lw 2.4 dt 3 pt 13 ps 1.4
set style line 5 lc rgb '#e69f00' lw 2.4 dt 5 pt 5 ps 1.1
set style line 6 lc rgb '#56b4e9' lw 2.4 dt 1 pt 6 ps 1.3
set style line 7 lc rgb '#000000' lw 2.4 dt 2 pt 8 ps 1.3
set style line 8 lc rgb '#999999' lw 1.0 dt 1 pt 4 ps 0.6
set border 3 lc rgb '#444444'
set tics nomirror out
set format '%.10g'
set grid lt 1 lc rgb '#d9d9d9' lw 1.0
set key outside bottom center horizontal Left reverse noenhanced samplen 3 width 1 height 0.8
