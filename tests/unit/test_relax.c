/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The convex relaxation of the soft-max loss: its inner problem, against soft-max regression.
 */
#include "relaxed.h"

/* Every row in the group of its class: Y is the block alone, F(zz') what is to be shown. */
static double identity_value(posed *p, const int *label, wlab_relax_inner method)
{
    wlab_relax *s;
    wlab_err err;
    wlab_relax_problem q = p->q;
    int32_t node[64], group[64];
    for (int c = 0; c < q.classes; c++)
        node[c] = -1 - c;
    for (int64_t i = 0; i < q.n; i++)
        group[i] = label[i];
    q.groups = q.classes;
    q.group = group;
    q.node = node;
    q.nodes = q.block;
    ASSERT_OK(wlab_relax_create(&s, &q, method, 1e-10, NULL, &err), err);
    const wlab_relax_numbers got = relax_run(s, 3000, NULL);
    assert_int_equal(wlab_relax_state(s), WL_RELAX_CONVERGED);
    assert_true(got.inner_gap >= 0 && got.gap >= 0);
    wlab_relax_destroy(s);
    return got.upper;
}

static void test_identity(void **state)
{
    static const int classes[] = {2, 3, 5};
    (void)state;
    for (int k = 0; k < 3; k++)
        for (int variant = 0; variant < 8; variant++) {
            const bool simplex = variant & 1, intercept = variant & 2;
            const wlab_relax_inner method = variant & 4 ? WL_RELAX_PROXIMAL : WL_RELAX_NEWTON;
            posed p = posed_create(15, 4, classes[k], simplex, 15, true, 7 + (uint64_t)variant);
            int label[15];
            wlab_rng rng;
            wlab_rng_seed(&rng, 3);
            for (int i = 0; i < 15; i++)
                label[i] = (int)wlab_rng_below(&rng, (uint64_t)classes[k]);
            p.q.intercept = intercept;
            const double want = labeling_value(&p.q, label), got = identity_value(&p, label, method);
            ASSERT_NEAR(got, want, 1e-8);
            posed_clear(&p);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
