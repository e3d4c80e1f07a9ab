# SPDX-License-Identifier: GPL-3.0-or-later
#
# What README.md and docs/*.md show as output or as a screen of the program is what the program shows.
# not under sanitizers: the same commands are given by other tests, and screens are waited for
docs/screens --check
