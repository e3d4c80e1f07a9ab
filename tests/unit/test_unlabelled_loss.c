/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The effective loss of an unlabelled row: against the minimum over p found by search, its limits, its symmetry.
 */
#include "support.h"

#include "algo/svmlin/transductive.h"

static double part(double p)
{
    return p > 0 ? p * log(p) : 0;
}

static double at_p(double p, double o, double T, double lambda_u, double nu2, bool hinge)
{
    double pos = fmax(0, 1 - o), neg = fmax(0, 1 + o);
    pos = hinge ? pos : pos * pos;
    neg = hinge ? neg : neg * neg;
    return p * pos + (1 - p) * neg + T / lambda_u * (part(p) + part(1 - p)) - nu2 / lambda_u * (p - 0.5);
}

static void test_minimum(void **state)
{
    static const double Ts[] = {1e-3, 0.1, 1, 10, 300}, weights[] = {0.1, 1, 10}, nus[] = {0, 0.7, -3};
    (void)state;
    for (int k = 0; k < 2 * 5 * 3 * 3; k++)
        for (double o = -3; o <= 3; o += 0.125) {
            bool hinge = k % 2;
            double T = Ts[k / 2 % 5], w = weights[k / 10 % 3], nu2 = nus[k / 30], lo = 0, hi = 1;
            while (hi - lo > 1e-9) { /* convex in p */
                double a = lo + (hi - lo) / 3, b = hi - (hi - lo) / 3;
                if (at_p(a, o, T, w, nu2, hinge) <= at_p(b, o, T, w, nu2, hinge))
                    hi = b;
                else
                    lo = a;
            }
            double best = at_p((lo + hi) / 2, o, T, w, nu2, hinge);
            ASSERT_NEAR(wlab_unlabelled_loss(o, T, w, nu2, hinge), best, 1e-7);
            assert_true(wlab_unlabelled_loss(o, T, w, nu2, hinge) <= best + 1e-9 * (1 + T / w));
        }
}

static void test_limits(void **state)
{
    (void)state;
    for (double o = -3; o <= 3; o += 0.0625) {
        double tsvm = fmax(0, 1 - fabs(o)) * fmax(0, 1 - fabs(o));
        double square = fabs(o) <= 1 ? 1 + o * o : (1 + fabs(o)) * (1 + fabs(o)) / 2;
        assert_true(wlab_unlabelled_loss(o, 0, 1, 0, false) == tsvm);
        ASSERT_NEAR(wlab_unlabelled_loss(o, 1e-12, 1, 0, false), tsvm, 1e-11);
        assert_true(wlab_unlabelled_loss(o, 0, 1, 0, true) == fmax(0, 1 - fabs(o)));
        ASSERT_NEAR(wlab_unlabelled_loss(o, INFINITY, 1, 0, false), square, 1e-15);
        ASSERT_NEAR(wlab_unlabelled_loss(o, 1e7, 1, 0, false) + 1e7 * log(2), square, 1e-5);
        ASSERT_NEAR(wlab_unlabelled_loss(o, 1, 0, 0, false), square, 1e-15); /* only T counts */
        /* between the two limits, and rising with T when shifted to the same value at 0 */
        double last = tsvm;
        for (double T = 0.01; T < 1e4; T *= 3) {
            double now = wlab_unlabelled_loss(o, T, 2, 0, false) + T / 2 * log(2);
            assert_true(now >= last - 1e-9 && now <= square + 1e-9);
            last = now;
        }
        for (double T = 0; T < 5;
             T += 0.7) /* the balance constraint tilts the loss; the sign of nu mirrors it */
            ASSERT_NEAR(wlab_unlabelled_loss(o, T, 3, 0.4, false),
                        wlab_unlabelled_loss(-o, T, 3, -0.4, false), 1e-14);
        /* T = 0 with a tilt: the smaller of two tilted branches */
        ASSERT_NEAR(wlab_unlabelled_loss(o, 0, 2, 1, false),
                    fmin(pow(fmax(0, 1 - o), 2) - 0.25, pow(fmax(0, 1 + o), 2) + 0.25), 1e-15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_minimum), cmocka_unit_test(test_limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
