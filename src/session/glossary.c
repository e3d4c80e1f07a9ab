/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The field's words, for `explain`.  "LTKZ" is Li, Tsang, Kwok, Zhou, Convex and Scalable Weakly Labeled SVMs,
 * JMLR 14 (2013); its Section 4.1 is semi-supervised learning.
 */
#include "session/glossary.h"
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

const wlab_term wlab_glossary[] = {
    {"weak labels", "|weakly labelled|weak label learning|",
     "Labels that say less than one true label a row: few of them (semi-supervised), one for a bag of rows "
     "(multi-instance), only the proportion in a bag (label proportions), several candidates a row "
     "(ambiguous), "
     "or none (clustering). The learner has to find the missing labels and the classifier together.",
     NULL, "LTKZ Section 1"},
    {"labeling", "|label vector|label assignment|labelings|labelling|y|",
     "One guess at the labels of all rows, the known ones kept: a vector of +1 and -1.",
     "y^ = [y_1, ..., y_N]', y^ in B", "LTKZ Section 2"},
    {"labels", "|own labels|labels of the run|newest labeling|",
     "The label that the run gives each training row now. In WellSVM: the newest labeling of the working "
     "set, "
     "one of several that the master mixes and the one the classifier finds hardest; it is material for the "
     "next step and may be far from the truth. What the run has learnt is its model, whose predictions "
     "`eval` scores and `export predictions` writes; `export labels` writes the labels.",
     NULL, NULL},
    {"label set", "|B|allowed labelings|set of labelings|",
     "All labelings that the task allows: the known labels are kept, and what else the task knows (how many "
     "are "
     "positive, say) holds. It is a finite set, but far too large to go through: that is why the problem is "
     "hard.",
     "B; for ssl { y | y_L as given, 1'y_U/(N-l) = 1'y_L/l }", "LTKZ Section 2, and behind Eq. 13 for ssl"},
    {"balance constraint", "|balance|class balance|balance count|",
     "The learner would gain the widest margin by giving all unlabelled rows the same label. To forbid it, "
     "the "
     "fraction of positives among the unlabelled rows is prescribed, by default that among the labelled "
     "ones: "
     "exactly ceil((1-r) n_u) of them are negative.",
     "1'y_U/(N-l) = 1'y_L/l", "LTKZ Section 4.1, after Joachims (1999)"},
    {"mixed-integer program", "|MIP|mixed integer program|integer problem|",
     "The problem that one wants to solve: the labeling whose SVM has the smallest objective. Discrete in "
     "the "
     "labels, convex in the rest. Its optimum lies between `lower` and `integer_upper`.",
     "min over y in B of max over alpha in A of G(alpha, y)", "LTKZ Eq. 3, for ssl Eq. 14"},
    {"relaxation", "|convex relaxation|minimax relaxation|minimax|",
     "min and max are interchanged: instead of one labeling the learner may mix labelings with weights mu. "
     "That "
     "problem is convex, so it has no local optima, and its optimum is a lower bound on the mixed-integer "
     "one. "
     "It is at least as tight as the semidefinite relaxations.",
     "max over alpha of min over y in B of G(alpha, y) = min over mu of max over alpha of sum_t mu_t "
     "G(alpha, y_t)",
     "LTKZ Eq. 4 and 6, Proposition 1, Theorem 1"},
    {"G", "|dual function|G(alpha,y)|G(alpha, y)|",
     "The dual objective of the SVM trained on labeling y, at the dual variables alpha. Its largest value "
     "over "
     "alpha is how badly the labeling fits: the margin's width and the losses.",
     "hinge: G = 1'alpha - 1/2 (alpha.y)'K(alpha.y), 0 <= alpha_i <= C_i", "LTKZ Section 3.1, Eq. 14"},
    {"alpha", "|dual variables|dual variable|support vectors|",
     "The SVM's dual variables, one a row. Rows with alpha > 0 are the support vectors; a row with alpha = 0 "
     "has "
     "no say, and its label is free as far as the objective goes.",
     "alpha in A, A = { C1 >= alpha_i >= 0 (labelled), C2 >= alpha_j >= 0 (unlabelled) }", "LTKZ Eq. 14"},
    {"working set", "|C|set of labelings found|active set|",
     "The labelings found so far. The master problem mixes these only; each step adds one that is violated. "
     "A few "
     "dozen usually take the place of the whole label set.",
     "C = { y_1, ..., y_T }", "LTKZ Section 3.4, Algorithm 1"},
    {"violated labeling",
     "|violated label|violated label assignment|violated|most violated labeling|violation|",
     "A labeling outside the working set for which G at the current alpha is lower than for every labeling "
     "inside: "
     "the current mixture ignores it wrongly, so it is added. `violation` says by how much.",
     "epsilon_r = min over y in C of G(alpha, y) - G(alpha, y_r) > 0",
     "LTKZ Section 4.1.3, Eq. 18 to 22, Propositions 3 to 5"},
    {"cutting plane", "|cutting planes|cutting plane algorithm|label generation|constraint generation|",
     "A way to solve a problem with too many constraints: solve it with a few, look for one that the "
     "solution "
     "breaks, add it, solve again. Here each labeling is a constraint, theta >= -G(alpha, y).",
     "max over alpha, theta of -theta s.t. theta >= -G(alpha, y_t) for all y_t in B",
     "LTKZ Eq. 5, Section 3.4, Algorithm 1; Kelley (1960)"},
    {"master",
     "|master problem|restricted problem|multiple label-kernel learning|MKL|MLKL|label-kernel learning|",
     "The relaxed problem over the working set only: find the weights mu and the SVM (alpha) of the mixture. "
     "The "
     "same as multiple kernel learning with one base kernel a labeling. A `step` solves it to a certified "
     "gap, a "
     "`stepi` makes one update of mu.",
     "min over mu of max over alpha of sum_t mu_t G(alpha, y_t), y_t in C; base kernels K.(y_t y_t')",
     "LTKZ Eq. 11, Section 4.1.2, Eq. 15 to 17"},
    {"mu", "|mixing weights|mixing coefficients|weights of the labelings|",
     "The weights of the labelings in the working set; they are at least 0 and sum to 1. Labelings with "
     "weight 0 "
     "play no part (for now).",
     "mu in M = { mu | sum_t mu_t = 1, mu_t >= 0 }; MKLGL: mu_t = ||w_t|| / sum_s ||w_s||",
     "LTKZ Proposition 1 and Section 4.1.2"},
    {"linearisation", "|linearization|search|",
     "The most violated labeling maximises a convex function, which is hard; its linearisation at a known "
     "labeling "
     "is maximised by sorting. The paper does so once, at the best labeling of the working set, and may stop "
     "early; `search=multistart` does it from many places, `search=exact` proves the best.",
     "max over y in B of r'y, r = H y-, H = K.(alpha alpha'), y- = argmax over C of y'Hy",
     "LTKZ Eq. 20 to 22, Propositions 4 and 5"},
    {"duality gap", "|gap|certified gap|optimality gap|",
     "The distance between a certified upper and a certified lower bound of the same optimum. It proves how "
     "far "
     "from optimal a solution can be at most, whoever computed it: `inner_gap` for one SVM, `master_gap` for "
     "the "
     "master, `gap` = upper - lower for the whole relaxation.",
     "primal >= optimum >= dual (weak duality)", NULL},
    {"upper bound", "|upper and lower|certified upper bound|",
     "A number that the optimum certainly does not exceed. `upper` is the smallest found so far for the "
     "relaxation: the master's primal value, or the SVM objective of one labeling, whichever is less. It "
     "never rises while the parameters stay as they are. `integer_upper` is that of the mixed-integer "
     "problem, from the best feasible labeling seen.",
     NULL, NULL},
    {"lower bound", "|certified lower bound|",
     "A number below which the optimum certainly is not. `lower` is the largest found so far, so it never "
     "falls. A "
     "heuristic value is no bound: where no certificate is at hand it has no value and shows as -.",
     "min over y in B of G(alpha, y), at any alpha in A", "LTKZ Eq. 4"},
    {"rounding", "|rounding error|rounded|",
     "The relaxation's solution is a mixture of labelings; rounding turns it into one labeling that the task "
     "allows. What that costs is seen by comparing `integer_upper` with `upper`.",
     "argmax over y in B of f'y for decision values f", NULL},
    {"flips", "|label flips|flip|",
     "How many labels differ from the step before, at rows that have a say (alpha > 0). In WellSVM each "
     "labeling is a fresh guess at what the classifier would find hardest, so that flips count the change "
     "between the two newest labelings of the working set; they need not fall. `info flips` lists the rows.",
     NULL, NULL},
    {"SVM", "|support vector machine|large margin|maximum margin|",
     "The classifier with the widest margin between the classes, at a price for rows inside it or on the "
     "wrong "
     "side.",
     "min over w of 1/2 ||w||^2 + sum_i C_i loss(y_i w'phi(x_i))", "LTKZ Section 2, Eq. 13"},
    {"hinge loss", "|hinge|",
     "The price of a row in the SVM: nothing beyond the margin, and growing in proportion inside it.",
     "max(0, 1 - y f(x))", "LTKZ Eq. 13"},
    {"squared hinge loss", "|squared hinge|sum-to-one|sum to one|mu-SVM|",
     "As the hinge loss, but its square. With the dual variables scaled to sum to one it is the paper's "
     "nonlinear "
     "variant: G = -1/2 alpha'((K + diag(1/C_i)).yy')alpha, 1'alpha = 1.",
     "max(0, 1 - y f(x))^2", "LTKZ Section 3.1"},
    {"kernel", "|K|kernel matrix|feature map|phi|gram matrix|",
     "The inner product of two rows in a space of features that need not be written down.",
     "K_ij = phi(x_i)'phi(x_j); rbf: exp(-gamma ||x_i - x_j||^2)", "LTKZ Section 3.1"},
    {"local optimum", "|local minimum|local optima|local minima|",
     "A labeling that no small change improves although a better one exists. Methods that improve one "
     "labeling "
     "(TSVM, alternation) may end in one; a convex relaxation has none.",
     NULL, "LTKZ Sections 2.1 and 3.4"},
    {"semi-supervised learning", "|ssl|semi-supervised|transductive|transductive learning|S3VM|",
     "Few rows have labels, many have none. Both are used: the decision boundary should pass where rows are "
     "rare.",
     "min over y in B, w, xi of 1/2||w||^2 + C1 sum_i xi_i (labelled) + C2 sum_j xi_j (unlabelled)",
     "LTKZ Section 4.1, Eq. 13"},
    {"clustering", "|maximum margin clustering|MMC|",
     "No row has a label. Look for the two groups that an SVM separates with the widest margin, with sizes "
     "that "
     "differ by at most beta.",
     "B = { y | -beta <= 1'y <= beta }", "LTKZ Section 4.3"},
    {"multi-instance learning", "|multiple instance learning|MIL|key instance|",
     "Examples are bags of rows; a bag is positive when at least one of its rows (its key instance) is.",
     NULL, "LTKZ Section 4.2"},
    {"label proportions", "|LLP|learning with label proportions|proportion-SVM|",
     "Of each bag only the fraction of positive rows is known.", "p_k", NULL},
    {"snapshot", "|time travel|history|",
     "A run keeps its state after some of the steps. `back` and `goto` restore the nearest earlier one and "
     "step "
     "again, random generator included: the same bits come out.",
     NULL, NULL},
    {"digest", "|hash|",
     "What the session file notes after a stepping command: iteration, verdict, objective with all digits, "
     "gap, "
     "flips, and hashes of labels and metrics. `replay --check` compares it.",
     NULL, NULL},
    {"volatile", "|volatile metric|seconds|",
     "A metric such as seconds, which differs from one execution to the next. It is in no digest, and a stop "
     "by it "
     "is recorded as a number of steps.",
     NULL, NULL},
    {"verdict", "|more|converged|stalled|limit|",
     "What the algorithm says after a step. more: it goes on. converged: its own criterion holds. stalled: "
     "no "
     "progress is possible although the criterion does not hold. limit: a limit that was set is reached.",
     NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* Letters matter, except that words of more than one letter may be written with capitals. */
static int fold(char c, bool single)
{
    if (c == '-' || c == '_')
        return ' ';
    return !single && c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

static bool same(const char *word, const char *name, size_t len)
{
    bool single = len == 1 && word[0] && !word[1];
    size_t i = 0;

    while (i < len && word[i] && fold(word[i], single) == fold(name[i], single))
        i++;
    return i == len && !word[i];
}

const wlab_term *wlab_term_find(const char *word)
{
    for (const wlab_term *t = wlab_glossary; t->name; t++) {
        size_t len = strlen(t->name);

        if (same(word, t->name, len))
            return t;
        for (const char *p = t->also; p && *p && p[1]; p += len + 1) {
            len = strcspn(p + 1, "|");
            if (same(word, p + 1, len))
                return t;
        }
    }
    return NULL;
}
