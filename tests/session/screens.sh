# SPDX-License-Identifier: GPL-3.0-or-later
#
# The outputs and screens of the program in README.md and docs/*.md are those that the program gives.
# not under sanitizers: other tests run the same commands, and screens take long
# needs gnuplot
docs/screens --check
