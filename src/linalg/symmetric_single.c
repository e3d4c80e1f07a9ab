/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Products with a symmetric matrix in single precision.
 */
#define REAL       float
#define BLAS(name) cblas_s##name
#define LEADING    wlab_symmetric_leading_single
#include "linalg/symmetric_parts.h"
