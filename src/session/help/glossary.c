/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The field's words, for `explain`.  Section, equation and algorithm numbers are those of Li, Tsang, Kwok and Zhou,
 * Convex and Scalable Weakly Labeled SVMs, JMLR 14 (2013); its Section 4.1 is semi-supervised learning.  Those of Sindhwani
 * and Keerthi, Large Scale Semi-supervised Linear SVMs, SIGIR 2006, are marked SVMLIN, those of Yu, Liu, Kumar, Jebara and
 * Chang, pSVM for Learning with Label Proportions, ICML 2013, PSVM, those of Joulin and Bach, A convex relaxation for weakly
 * supervised classifiers, ICML 2012, JOULIN.
 */
#include "session/help/glossary.h"
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define PAPER  "Li, Tsang, Kwok, Zhou 2013, "
#define PSVM   "Yu, Liu, Kumar, Jebara, Chang 2013, "
#define SVMLIN "Sindhwani, Keerthi 2006, "
#define JOULIN "Joulin, Bach 2012, "

/* clang-format off */
const wlab_term wlab_glossary[] = {
    {.name = "weak labels",
     .also = "|weakly labelled|weak label learning|",
     .meaning = "Labels that say less than one true label a row: few of them (semi-supervised), one for a "
                "bag of rows (multi-instance), only the proportion in a bag (label proportions), several "
                "candidates a row (ambiguous), or none (clustering). The learner has to find the missing "
                "labels and the classifier together.",
     .notation = "min over y in B and f of Omega(f) + C loss(f, y)",
     .source = PAPER "Sections 1 and 2, Eq. 2"},
    {.name = "labeling",
     .also = "|label vector|label assignment|labelings|labelling|y|y_t|",
     .meaning = "One guess at the labels of all rows, the known ones kept: a vector of +1 and -1. y1, y2, "
                "... are those of the working set, in the order in which they were found.",
     .notation = "y^ = [y_1, ..., y_N]', y^ in B",
     .source = PAPER "Section 2"},
    {.name = "labels",
     .also = "|own labels|labels of the run|newest labeling|",
     .meaning = "The label that the run gives each training row now. In WellSVM: the newest labeling of "
                "the working set, one of several that the master mixes and the one the classifier finds "
                "hardest; it is material for the next step and may be far from the truth. What the run "
                "has learnt is its model, whose predictions `eval` scores and `export predictions` "
                "writes; `export labels` writes the labels."},
    {.name = "label set",
     .also = "|B|allowed labelings|set of labelings|Delta|",
     .meaning = "All labelings that the task allows: the known labels are kept, and what else the task "
                "knows (how many are positive, say) holds. It is a finite set, but mostly far too large "
                "to go through: that is why the problem is hard.",
     .notation = "B; for ssl { y | y_L as given, 1'y_U/(N-l) = 1'y_L/l }; for cluster { y | -beta <= 1'y "
                 "<= beta }",
     .watch = "`info task` counts it. Up to 2^20 labelings WellSVM looks at every one in each step "
              "(search=exact), and the answer is proven.",
     .source = PAPER "Section 2; behind Eq. 13 for ssl"},
    {.name = "balance constraint",
     .also = "|balance|class balance|balance count|beta|",
     .meaning = "The learner would gain the widest margin by giving all unlabelled rows the same label. "
                "To forbid it, the fraction of positives among the unlabelled rows is prescribed, by "
                "default that among the labelled ones: exactly ceil((1-r) n_u) of them are negative. In "
                "clustering the sizes of the two groups may differ by beta.",
     .notation = "ssl: 1'y_U/(N-l) = 1'y_L/l; cluster: -beta <= 1'y <= beta",
     .watch = "With few labels r is a rough guess, and every labeling in B has its error: `task ssl "
              "r=0.3` says it better where it is known.",
     .source = PAPER "Section 4.1, after Joachims (1999); Section 4.3"},
    {.name = "mixed-integer program",
     .also = "|MIP|mixed integer program|integer problem|integer|integer optimum|integer program|",
     .meaning = "The problem that one wants to solve: the labeling whose SVM has the smallest objective. "
                "Discrete in the labels, convex in the rest. Its optimum lies between `lower` and "
                "`integer_upper`; where B is small, `set integer=all` makes `integer_upper` the optimum "
                "itself, by an SVM on each labeling.",
     .notation = "min over y in B of max over alpha in A of G(alpha, y)",
     .watch = "integer_upper falls when a better labeling is seen, which may be in any step. The best "
              "labeling seen is at most integer_upper - lower above the integer optimum.",
     .source = PAPER "Eq. 3, for ssl Eq. 14"},
    {.name = "integrality gap",
     .also = "|integer gap|relaxation gap|",
     .meaning = "The distance from the relaxation's optimum to the integer optimum: what is lost when "
                "labelings may be mixed. It belongs to the problem, not to the solver; no number of steps "
                "makes it smaller. 0: the relaxation is tight.",
     .notation = "min over y of max over alpha of G - max over alpha of min over y of G >= 0",
     .watch = "integer_upper - objective once the run has converged with a small `gap` and integer=all "
              "(`lesson relaxation`). Not to be mixed up with `gap`, which says how well the relaxation "
              "is solved.",
     .source = PAPER "behind Eq. 4"},
    {.name = "relaxation",
     .also = "|convex relaxation|minimax relaxation|minimax|p*|",
     .meaning = "min and max are interchanged: instead of one labeling the learner may mix labelings with "
                "weights mu. That problem is convex, so it has no local optima, and its optimum p* is a "
                "lower bound on the mixed-integer one. It is at least as tight as the semidefinite "
                "relaxations.",
     .notation = "max over alpha of min over y in B of G(alpha, y) = min over mu of max over alpha of "
                 "sum_t mu_t G(alpha, y_t)",
     .watch = "One mu near 1: nearly one labeling, little is lost. Many mu of a size: the answer is a "
              "compromise, and rounding it will cost.",
     .source = PAPER "Eq. 4 and 6, Proposition 1, Theorem 1"},
    {.name = "G",
     .also = "|dual function|G(alpha,y)|G(alpha, y)|",
     .meaning = "The dual objective of the SVM trained on labeling y, at the dual variables alpha. Its "
                "largest value over alpha is how badly the labeling fits: the margin's width and the "
                "losses.",
     .notation = "hinge: G = 1'alpha - 1/2 (alpha.y)'K(alpha.y), 0 <= alpha_i <= C_i",
     .source = PAPER "Section 3.1, Eq. 14"},
    {.name = "objective",
     .also = "|objective value|p(t)|master's value|",
     .meaning = "What is made small. In WellSVM the value of the master: the best mixture of the "
                "labelings found so far. It falls, as each new labeling is one more choice, and it stays "
                "above the relaxation's optimum.",
     .notation = "p(t) = min over mu of max over alpha of sum_t mu_t G(alpha, y_t), y_t in C; p(t+1) <= "
                 "p(t) - eta",
     .watch = "Steps in which it hardly falls prove nothing: the search may have missed a labeling. Look "
              "at `gap`, which is proof, and at `violation`, which says what the next labeling promises. "
              "With loss=sum-to-one it is negative.",
     .source = PAPER "Eq. 11, Theorem 2"},
    {.name = "alpha",
     .also = "|dual variables|dual variable|support vectors|support vector|A|",
     .meaning = "The SVM's dual variables, one a row. Rows with alpha > 0 are the support vectors; a row "
                "with alpha = 0 has no say, and its label is free as far as the objective goes.",
     .notation = "alpha in A, A = { C1 >= alpha_i >= 0 (labelled), C2 >= alpha_j >= 0 (unlabelled) }",
     .source = PAPER "Eq. 14"},
    {.name = "working set",
     .also = "|C|set of labelings found|active set|",
     .meaning = "The labelings found so far. The master problem mixes these only; each step adds one that "
                "is violated. A few dozen usually take the place of the whole label set.",
     .notation = "C = { y_1, ..., y_T }",
     .watch = "`working_set` counts them, `active` those with mu > 0. Labelings that lost their weight "
              "stay in C and may get it back.",
     .source = PAPER "Section 3.4, Algorithm 1"},
    {.name = "violated labeling",
     .also = "|violated label|violated label assignment|violated|most violated "
             "labeling|violation|epsilon_r|",
     .meaning = "A labeling outside the working set for which G at the current alpha is lower than for "
                "every labeling inside: the current mixture ignores it wrongly, so it is added. "
                "`violation` says by how much.",
     .notation = "epsilon_r = min over y in C of G(alpha, y) - G(alpha, y_r) > 0; the most violated: min "
                 "over y in B of G(alpha, y)",
     .watch = "Large at first, and it need not fall in every step. 0: the search found nothing, which "
              "proves something only with search=exact.",
     .source = PAPER "Proposition 3; Section 4.1.3, Eq. 18 to 22"},
    {.name = "cutting plane",
     .also = "|cutting planes|cutting plane algorithm|label generation|constraint generation|theta|",
     .meaning = "A way to solve a problem with too many constraints: solve it with a few, look for one "
                "that the solution breaks, add it, solve again. The added one cuts the old solution off. "
                "Here each labeling is a constraint, and a step is one round. `lesson cutting-plane` "
                "shows it.",
     .notation = "max over alpha, theta of -theta s.t. theta >= -G(alpha, y_t) for all y_t in B",
     .watch = "mu of the new labeling (mostly above 0: the constraint is active), the objective's fall, "
              "and how fast `violation` goes down.",
     .source = PAPER "Eq. 5, Section 3.4, Algorithm 1; Kelley (1960)"},
    {.name = "master",
     .also = "|master problem|restricted problem|multiple label-kernel learning|MKL|MLKL|label-kernel "
             "learning|",
     .meaning = "The relaxed problem over the working set only: find the weights mu and the SVM (alpha) "
                "of the mixture. The same as multiple kernel learning with one base kernel a labeling. A "
                "`step` solves it to a certified gap, a `stepi` makes one update of mu.",
     .notation = "min over mu of max over alpha of sum_t mu_t G(alpha, y_t), y_t in C; base kernels "
                 "K.(y_t y_t')",
     .watch = "`master_gap` inside a step (`stepi`): each update of mu makes it smaller. master=mklgl is "
              "the paper's update, and slower.",
     .source = PAPER "Eq. 11, Section 4.1.2, Eq. 15 to 17"},
    {.name = "mu",
     .also = "|mixing weights|mixing coefficients|weights of the labelings|mu_t|",
     .meaning = "The weights of the labelings in the working set; they are at least 0 and sum to 1. "
                "Labelings with weight 0 play no part (for now). mu_t is also the price of the constraint "
                "that y_t makes: above 0, the constraint is active.",
     .notation = "mu in M = { mu | sum_t mu_t = 1, mu_t >= 0 }; MKLGL: mu_t = ||w_t|| / sum_s ||w_s||",
     .watch = "The newest labeling takes weight from the older ones; `plot mu` draws that. All weight on "
              "one: the relaxation is tight there.",
     .source = PAPER "Proposition 1, Section 4.1.2"},
    {.name = "linearisation",
     .also = "|linearization|search|H|",
     .meaning = "The most violated labeling maximises a convex function, which is hard; its linearisation "
                "at a known labeling is maximised by sorting. The paper does so once, at the best "
                "labeling of the working set, and may stop early; `search=multistart` does it from many "
                "places, `search=exact` proves the best.",
     .notation = "max over y in B of r'y, r = H y-, H = K.(alpha alpha'), y- = argmax over C of y'Hy",
     .watch = "search=paper converges with a wide `gap`: `set search=multistart` and go on.",
     .source = PAPER "Eq. 20 to 22, Propositions 4 and 5"},
    {.name = "duality gap",
     .also = "|gap|relgap|open|% open|percent open|certified gap|optimality gap|duality|weak duality|certified|certificate|",
     .meaning = "The distance between a certified upper and a certified lower bound of the same optimum. "
                "It proves how far from optimal a solution can be at most, whoever computed it: "
                "`inner_gap` for one SVM, `master_gap` for the master, `gap` = upper - lower for the "
                "whole relaxation, and `relgap` that as a part of |upper|. `lesson gap` reads some.",
     .notation = "any primal value >= optimum >= any dual value (weak duality); for the relaxation J(mu) "
                 ">= p* >= min over B of G(alpha, y)",
     .watch = "`relgap`: 0.055 is 5.5 % open. Small: solved, proven. Open although `violation` "
              "is 0: the bound is loose or the search missed a labeling, and which of the two is not "
              "known. `continue until relgap < 0.01` stops by it.",
     .source = PAPER "Section 3.2, Eq. 4"},
    {.name = "upper bound",
     .also = "|upper and lower|certified upper bound|bounds|bound|integer_upper|",
     .meaning = "A number that the optimum certainly does not exceed. `upper` is the smallest found so "
                "far for the relaxation: the master's primal value, or the SVM objective of one labeling, "
                "whichever is less. It never rises while the parameters stay as they are. `integer_upper` "
                "is that of the mixed-integer problem, from the best feasible labeling seen; that labeling alone "
                "is a mixture too, so `upper` <= `integer_upper`.",
     .notation = "J(mu) = max over alpha of sum_t mu_t G(alpha, y_t) >= p*",
     .source = PAPER "Eq. 6"},
    {.name = "lower bound",
     .also = "|certified lower bound|",
     .meaning = "A number below which the optimum certainly is not. `lower` is the largest found so far, "
                "so it never falls. A heuristic value is no bound: where no certificate is at hand it has "
                "no value and shows as -.",
     .notation = "min over y in B of G(alpha, y) <= p*, at any alpha in A",
     .watch = "It is the side that is hard: the minimum over B is known with search=exact, else bounded "
              "(`bound=`), which may stay loose.",
     .source = PAPER "Eq. 4"},
    {.name = "rounding",
     .also = "|rounding error|rounded labeling|",
     .meaning = "The relaxation's solution is a mixture of labelings; rounding turns it into one labeling "
                "that the task allows, the one nearest to the prediction. softmax-sdp rounds its matrix Z by "
                "k-means on the leading eigenvectors, or turns these onto the axes (rounding=).",
     .notation = "argmax over y in B of f'y for decision values f",
     .watch = "`rounded` - `objective`: what one labeling costs in place of the mixture. `integer_upper` "
              "below `rounded`: a better labeling was seen than rounding gives."},
    {.name = "prediction",
     .also = "|f|decision function|decision line|boundary|model|decision values|",
     .meaning = "What the run has learnt: the sign of f(x). In WellSVM it is the sum of the working set's "
                "classifiers, each weighted by its mu. `plot boundary` draws where f is 0, `eval` scores "
                "it, `export model` writes it.",
     .notation = "f(x) = sum_t w_t'phi(x), w_t = mu_t sum_i alpha_i y_ti phi(x_i)",
     .watch = "It may be right where the newest labeling (`explain labels`) is wrong: the labeling is one "
              "of many in the mixture.",
     .source = PAPER "end of Section 4.1.3"},
    {.name = "flips",
     .also = "|label flips|flip|",
     .meaning = "How many labels differ from the step before, at rows that have a say (alpha > 0). In "
                "WellSVM each labeling is a fresh guess at what the classifier would find hardest, so "
                "that flips count the change between the two newest labelings of the working set; they "
                "need not fall. `info flips` lists the rows."},
    {.name = "SVM",
     .also = "|support vector machine|large margin|maximum margin|margin|",
     .meaning = "The classifier with the widest margin between the classes, at a price for rows inside it "
                "or on the wrong side.",
     .notation = "min over w of 1/2 ||w||^2 + sum_i C_i loss(y_i w'phi(x_i))",
     .source = PAPER "Section 2, Eq. 13"},
    {.name = "hinge loss",
     .also = "|hinge|xi|slack|",
     .meaning = "The price of a row in the SVM: nothing beyond the margin, and growing in proportion "
                "inside it.",
     .notation = "xi = max(0, 1 - y f(x))",
     .source = PAPER "Eq. 13"},
    {.name = "squared hinge loss",
     .also = "|squared hinge|sum-to-one|sum to one|mu-SVM|",
     .meaning = "As the hinge loss, but its square. With the dual variables scaled to sum to one it is "
                "the paper's nonlinear variant; its objective is negative. The two have the same best "
                "mixture; if J is the one's optimum, the other's is -1/(4 J).",
     .notation = "max(0, 1 - y f(x))^2; sum-to-one: G = -1/2 alpha'((K + diag(1/C_i)).yy')alpha, 1'alpha "
                 "= 1",
     .source = PAPER "Section 3.1"},
    {.name = "kernel",
     .also = "|K|kernel matrix|feature map|phi|gram matrix|",
     .meaning = "The inner product of two rows in a space of features that need not be written down.",
     .notation = "K_ij = phi(x_i)'phi(x_j); rbf: exp(-gamma ||x_i - x_j||^2)",
     .watch = "A wide kernel (large sigma) makes many labelings look alike: more steps, a wider gap. A "
              "narrow one follows every point.",
     .source = PAPER "Section 3.1"},
    {.name = "local optimum",
     .also = "|local minimum|local optima|local minima|",
     .meaning = "A labeling that no small change improves although a better one exists. Methods that "
                "improve one labeling (TSVM, alternation) may end in one; a convex relaxation has none.",
     .watch = "Other starts, seeds or temperatures end elsewhere: `lesson annealing`. How far from the global "
              "optimum one may be, `compare` tells where there is a bracket.",
     .source = PAPER "Sections 2.1 and 3.4"},
    {.name = "label switching",
     .also = "|switching|multiple switching|label pairs|pairs|TSVM|transductive SVM|transductive L2-SVM-MFN|",
     .meaning = "A positive and a negative unlabelled row that stand the wrong way round, neither of them beyond "
                "its own margin, change labels; the number of positives stays. The objective falls by the "
                "switch alone, and again when w is trained anew, so it ends.",
     .notation = "y'_i = 1, y'_j = -1, o_i < 1, -o_j < 1, o_i < o_j; up to S pairs at a time",
     .watch = "`pairs`: switched in this step; `pending`: what the next one will switch. 0: lambda' is raised, "
              "and at its last value the run is over, in a local optimum.",
     .source = SVMLIN "Section 3.1.2, Table 4; Joachims 1999"},
    {.name = "weight of the unlabelled rows",
     .also = "|lambda'|lambda prime|lambda_u|lambda now|",
     .meaning = "How much the unlabelled rows count against the labelled ones. TSVM lets it grow to its last "
                "value, lambda_u, so that the labels decide before the others join in.",
     .notation = "lambda'/(2u) sum_j loss_j",
     .watch = "The larger, the emptier the corridor that is looked for, and the more local optima: annealing "
              "then has to cool more slowly (`cooling=`).",
     .source = SVMLIN "Eq. 7; end of Section 4"},
    {.name = "J",
     .also = "|transductive objective|",
     .meaning = "What TSVM and mean field annealing are judged by, whatever each minimises on its way: the "
                "objective of w alone, with the better label for every unlabelled row.",
     .notation = "lambda/2 ||w||^2 + 1/(2l) sum max(0, 1 - y o)^2 + lambda'/(2u) sum max(0, 1 - |o'|)^2",
     .watch = "Comparable for equal lambda, lambda' and r. It needs no hidden label: of two runs keep the one "
              "with the smaller J. A smaller J need not be a smaller error.",
     .source = SVMLIN "Eq. 18"},
    {.name = "Newton iteration",
     .also = "|Newton's method|finite Newton|L2-SVM-MFN|MFN|line search|",
     .meaning = "The squared hinge loss is quadratic while no row enters or leaves the margin. A Newton "
                "iteration solves that quadratic problem on the rows inside, and goes along the line to its "
                "solution as far as the true objective falls. A few are enough.",
     .notation = "(lambda I + X'HX) n = -g; w <- w + delta n, delta = argmin f(w + delta n)",
     .watch = "`newtons` counts them in a step, `inner_gap` = ||g||^2/(2 lambda) proves how near w is.",
     .source = SVMLIN "Section 2, Tables 1 and 3; Keerthi, DeCoste 2005"},
    {.name = "conjugate gradients",
     .also = "|CG|CGLS|conjugate gradient|",
     .meaning = "How a Newton iteration's linear system is solved where X is large and sparse: by products "
                "with X and X' only, each iteration going over the data once (newton=paper: twice).",
     .notation = "q = X p, step ||r||^2/(lambda ||p||^2 + q'Hq)",
     .watch = "`cg` counts them in a step: nearly all of a run's time.",
     .source = SVMLIN "Section 2.1, Table 2"},
    {.name = "annealing",
     .also = "|temperature|mean field annealing|mean field|deterministic annealing|cooling|",
     .meaning = "Instead of a label each unlabelled row has a belief, and the objective a reward for "
                "undecided beliefs, their entropy, times a temperature T. While T is high a row costs "
                "least where the classifier is undecided, and the problem has hardly any local optima; "
                "T falls slowly, and the solution follows. alter-psvm anneals another way, without beliefs: "
                "C*, the weight of the losses, rises from near 0 to C (`explain C*`).",
     .notation = "mfa: Eq. 7 with p_j for the labels, less T/(2u) sum_j H(p_j)",
     .watch = "View `loss`: the cost of a row by its output loses its single valley and gets two. `finish` "
              "goes on to the end of a temperature. T that falls from undecided beliefs to half decided "
              "ones at once falls too fast: `cooling=1.1`.",
     .source = SVMLIN "Section 3.2, Eqs. 8 and 9, Figure 2"},
    {.name = "critical temperature",
     .also = "|critical|",
     .meaning = "Where, as T falls, the beliefs take sides. With the squared hinge loss a row's cost has its "
                "single valley at o = 0 down to T = 2 lambda', and two valleys below; rows that share features go "
                "to one of them together, so it happens in a narrow range of T, and J falls there most.",
     .notation = "second derivative of the effective loss at o = 0: 2 - 4 lambda'/T",
     .watch = "`entropy` leaves log 2 = 0.693 there. Coming by slowly (`cooling=1.1`) is what annealing lives "
              "by; loss=hinge keeps a hump at any T.",
     .source = SVMLIN "Section 3.2, Figure 2"},
    {.name = "belief",
     .also = "|beliefs|p_j|",
     .meaning = "The probability of +1 that mean field annealing gives an unlabelled row in place of a label: "
                "1/2 is undecided, near 0 or 1 firm. Their mean is r.",
     .notation = "p_j = 1/(1 + exp((g_j - 2 nu)/T)), g_j = lambda' (max(0, 1 - o)^2 - max(0, 1 + o)^2)",
     .watch = "`entropy` says how undecided they are, `kl` how much they moved.",
     .source = SVMLIN "Section 3.2.2, Eq. 15"},
    {.name = "entropy",
     .also = "|mean entropy|kl|divergence|Kullback-Leibler divergence|",
     .meaning = "How undecided the beliefs are, in the mean: log 2 = 0.693 where all are 1/2, 0 where all are "
                "firm. The divergence `kl` is how much they moved in the last step: near 0 they have settled, "
                "and the temperature falls.",
     .notation = "H(p) = -sum_j (p_j log p_j + (1 - p_j) log(1 - p_j)), over u",
     .watch = "Where it falls fastest is the temperature at which sides are taken.",
     .source = SVMLIN "Eqs. 16 and 17"},
    {.name = "effective loss",
     .also = "|loss of an unlabelled row|unlabelled loss|transductive loss|",
     .meaning = "What an unlabelled row adds to the objective by its output alone, once its label, or the "
                "belief in it, is the best for that output.",
     .notation = "T = 0: max(0, 1 - |o|)^2; else min over p of p V+ + (1-p) V- - (T/lambda') H(p), V+- = "
                 "max(0, 1 -+ o)^2",
     .watch = "`plot loss`: it is highest at o = 0 when T is small, so rows are pushed out of the margin, to "
              "the side where they happen to be.",
     .source = SVMLIN "Figures 1 and 2, Eqs. 8 and 15"},
    {.name = "phase",
     .also = "|phases|lambda' level|",
     .meaning = "Steps that belong together: those at one temperature of mfa, at one weight lambda' of tsvm. "
                "`finish` goes on to the last of them."},
    {.name = "bracket",
     .also = "|global bracket|",
     .meaning = "Between which two numbers the global optimum lies: a value that some labeling has is above "
                "it, a certified lower bound, WellSVM's say, is below. It holds across algorithms where all "
                "minimise the same function over labelings with the same number of negatives.",
     .notation = "lower <= min of Eq. 7 <= upper",
     .watch = "`compare` tells it, and what stands in the way.",
     .source = SVMLIN "Eq. 7; " PAPER "Section 3"},
    {.name = "branch and bound",
     .also = "|BB|branch-and-bound|search tree|node|nodes|",
     .meaning = "A search that proves its answer without looking at every labeling. The label set is cut in "
                "two again and again, by fixing labels; a part whose lower bound is above the best labeling "
                "known holds no better one and is left out. What is left open when it is stopped still "
                "gives a bound.",
     .notation = "min over B = min of the mins over B' and B''; B' is left out when its bound >= the best known",
     .watch = "`algo bb` does so for the mixed-integer problem, `search=exact` for the most violated labeling "
              "of a WellSVM step.",
     .source = "Land, Doig 1960"},
    {.name = "semi-supervised learning",
     .also = "|ssl|semi-supervised|transductive|transductive learning|S3VM|",
     .meaning = "Few rows have labels, many have none. Both are used: the decision boundary should pass "
                "where rows are rare.",
     .notation = "min over y in B, w, xi of 1/2||w||^2 + C1 sum_i xi_i (labelled) + C2 sum_j xi_j "
                 "(unlabelled)",
     .watch = "C2 against C1: how much the unlabelled rows may bend what the labels say.",
     .source = PAPER "Section 4.1, Eq. 13"},
    {.name = "clustering",
     .also = "|maximum margin clustering|MMC|",
     .meaning = "No row has a label. Look for the two groups that an SVM separates with the widest "
                "margin, with sizes that differ by at most beta. WellSVM takes any sizes within that; TSVM and "
                "mean field annealing prescribe the fraction r of positives, 1/2 unless `r=` says otherwise, which "
                "must lie within it.",
     .notation = "B = { y | -beta <= 1'y <= beta }",
     .source = PAPER "Section 4.3"},
    {.name = "multi-instance learning",
     .also = "|multiple instance learning|MIL|key instance|multi-instance|multiple instance|",
     .meaning = "Examples are bags of rows; a bag is positive when at least one of its rows (its key "
                "instance) is. Which one is not told. The SVM has a constraint a positive bag on its key "
                "instance, at cost C1, and one on each instance of a negative bag, at cost C2. A bag is "
                "predicted by the largest output of its instances.",
     .notation = "f(B) = max over x in B of f(x)",
     .watch = "`eval bags` scores bags, and key instances where the data know them; `export bags` names them.",
     .source = PAPER "Section 4.2, Eqs. 23 and 24"},
    {.name = "ambiguous labels",
     .also = "|ambiguous label|candidate labels|partial labels|candidates|",
     .meaning = "Of a row several classes are told, one of which is the true one. With classes=all the row may "
                "be of each of them and of no other. With one class learnt against the others (classes=two) "
                "the row's label is free where they lie on both sides.",
     .notation = "y_n in C_n, a set of classes; softmax-sdp: <v_n, class c> is known for every c not in C_n",
     .watch = "`task ambiguous classes=all candidates=2 ambiguous=0.5`."},
    {.name = "soft-max",
     .also = "|softmax|soft-max loss|softmax loss|logistic loss|multinomial logistic|",
     .meaning = "The loss of a classifier of P classes that gives each class a score and takes the largest: how "
                "far the right class's score is below a smooth maximum of all. softmax-sdp and softmax-em "
                "choose labels and scores so that its mean is smallest, less the entropy of the classes' "
                "proportions: without that, one label for all rows would be best.",
     .notation = "log sum_k exp(s_k) - s_y, s = W'x + b; f = its mean - h(proportions) + lambda/(2P) ||W||^2",
     .watch = "f of balanced labels that the classifier gets right is near -log P: `objective`.",
     .source = JOULIN "Eq. 1"},
    {.name = "elliptope",
     .also = "|Y|Z|equivalence matrix|",
     .meaning = "The symmetric matrices without negative eigenvalues that have 1 on the diagonal. Z, which has "
                "a product of label vectors for each pair of rows (1: the same class, 0: another one), is one "
                "of them whatever the labels are, and the elliptope is convex: softmax-sdp looks for the best "
                "matrix in it in place of the best labels. coding=simplex uses a smaller set, in which no "
                "labeling is lost.",
     .notation = "Z = zz', z_n one 1 among P; Z = 11'/P + (1 - 1/P) Y, Y in { Y >= 0, diag(Y) = 1 }",
     .watch = "`plot matrix`, `plot spectrum`: P - 1 large eigenvalues mean that Z is nearly a labeling.",
     .source = JOULIN "Section 3"},
    {.name = "Omega",
     .also = "|inner problem|inner_gap|inner gap|",
     .meaning = "The dual variable of the soft-max problem: for each row a distribution over all rows, as it "
                "were which of them the row is taken for. F(Z), the value of the relaxation at a matrix Z, is "
                "a maximum over these matrices and linear in Z, and therefore convex. Any Omega gives a lower "
                "bound of F(Z), any classifier an upper one: inner_gap is the difference.",
     .notation = "Omega >= 0, Omega 1 = 1, Omega'pi = pi; Omega_nm ~ pi_m exp(x_n'U v_m - b_m)",
     .watch = "`inner_gap`; `stepi` is a step of this problem.",
     .source = JOULIN "Eqs. 3 to 5"},
    {.name = "EM",
     .also = "|E-step|M-step|expectation maximisation|expectation-maximization|",
     .meaning = "Downhill by turns: the best classifier for the labels (M-step), the best labels for the "
                "classifier (E-step). The objective never rises, and it ends in a local optimum that depends "
                "on the labels it began with: of chance in softmax-em, rounded from the relaxation in "
                "softmax-sdp.",
     .watch = "`em` counts its iterations in softmax-sdp; `compare` two runs of other seeds.",
     .source = JOULIN "Section 2"},
    {.name = "one-vs-rest",
     .also = "|one against the rest|one-against-rest|one-against-all|one-versus-rest|ovr|machine|",
     .meaning = "How an algorithm that tells two classes apart learns more: a machine a class, trained on it "
                "against all others, one after the other. A row has the class whose machine has the largest "
                "output.",
     .notation = "y(x) = argmax_k f_k(x)",
     .watch = "`machine` is the one whose metrics are shown; `finish` goes to its end. A condition ends the "
              "run within a machine; the model needs all."},
    {.name = "best matching",
     .also = "|matching|Hungarian algorithm|accuracy under the best matching|assignment|",
     .meaning = "Clusters have numbers, but these mean nothing. Before they are scored against classes, or "
                "compared with other clusters, each stands for another class such that as many rows as "
                "possible agree; with more clusters than classes some stand for none, and their rows are "
                "wrong.",
     .notation = "max over one-to-one s of sum_k count(cluster k, class s(k))",
     .watch = "`eval` prints it under \"stands for\".",
     .source = "Kuhn 1955"},
    {.name = "NMI",
     .also = "|normalised mutual information|normalized mutual information|mutual information|",
     .meaning = "How much knowing a row's cluster says about its class, whichever number stands for which: 1 "
                "where the clusters are the classes, 0 where they are independent. Finer clusters than "
                "classes are punished little.",
     .notation = "2 I(cluster; class) / (H(cluster) + H(class))",
     .watch = "`eval` of a clustering, `table score=nmi`."},
    {.name = "ARI",
     .also = "|adjusted Rand index|Rand index|",
     .meaning = "Of pairs of rows: do clusters and classes agree whether the two belong together? Less what "
                "chance gives with groups of these sizes: 1 is the same partition, 0 what chance gives, below "
                "0 worse.",
     .notation = "(pairs together in both - expected) / (mean of pairs together in either - expected)",
     .watch = "`eval` of a clustering, `table score=ari`.",
     .source = "Hubert, Arabie 1985"},
    {.name = "macro-F1",
     .also = "|macro F1|",
     .meaning = "The mean over the classes of F1, each class against the rest: rare classes count as much as "
                "frequent ones.",
     .notation = "1/P sum_k 2 TP_k / (2 TP_k + FP_k + FN_k)",
     .watch = "`eval` of several classes, `table score=macro_f1`."},
    {.name = "success rate",
     .also = "|ROI|region of interest|success|key instances|",
     .meaning = "How often the program points at a true key instance (region of interest). In each bag "
                "predicted to be positive it points at the instance with the largest output; that is a success "
                "where this instance is positive by its own label.",
     .notation = "successes / relevant (Eq. 39), successes / predicted relevant (Eq. 40), 2 successes / (relevant "
                 "+ predicted relevant)",
     .watch = "`eval bags` gives all three.",
     .source = PAPER "Section 5.2"},
    {.name = "one class",
     .also = "|one-class|PU learning|positive and unlabelled|",
     .meaning = "Labels of one class only are given, and of the other none. With the fraction r of positives "
                "prescribed that is enough: the other rows have to take both sides.",
     .watch = "`task ssl only=positive r=0.5` shows the positive labels alone; wrong r, wrong sides.",
     .source = SVMLIN "Section 5"},
    {.name = "label proportions",
     .also = "|LLP|learning with label proportions|proportion-SVM|proportion|proportions|",
     .meaning = "Of each bag only the fraction of positive rows is known. A labeling is allowed when its "
                "fractions are within eps of those, or as near as a count comes.",
     .notation = "|p_k(y) - p_k| <= eps in each bag k",
     .watch = "`eval bags` tells how far the predicted fractions are off."},
    {.name = "pSVM",
     .also = "|alter-psvm|conv-psvm|alternation|alternating|",
     .meaning = "The SVM for label proportions: the rows' labels are variables beside w and b, and a bag whose labels "
                "have another fraction of positives than told costs. alter-psvm solves it by turns, w and b for the "
                "labels and the best labels for w and b; conv-psvm takes the fractions for a constraint and solves a "
                "convex relaxation.",
     .notation = "min over y, w, b of 1/2 ||w||^2 + C sum_i max(0, 1 - y_i f_i) + Cp sum_k L_p(p_k(y), p_k)",
     .watch = "alter-psvm: `C_now`, `bag_error`, `distinct`; no cheap bound certifies it. conv-psvm: `gap`, of the "
              "relaxation.",
     .source = PSVM "Eqs. 4 and 9, Algorithms 1 and 2"},
    {.name = "C*",
     .also = "|C star|Cstar|annealing C|",
     .meaning = "The weight that alter-psvm gives the losses now, in place of C. It begins near 0 and rises by half "
                "whenever all restarts are at rest, until it is C: while it is small the proportions decide alone, and "
                "there are few local optima to end in. At each C* the objective is another one, so it rises with it.",
     .notation = "C* = min((1 + Delta) C*, C); first=, grow=",
     .watch = "`C_now`; `finish` goes to the end of one value; `plot objective vs level`.",
     .source = PSVM "Algorithm 1"},
    {.name = "restart",
     .also = "|restarts|random restart|random start|distinct|",
     .meaning = "One of several runs of an algorithm that only finds local optima, from labels of its own. alter-psvm "
                "takes them side by side and shows the one whose objective is the smallest; those that come to nearly "
                "the same labels go on as one.",
     .watch = "`restart` is the one that is shown, `distinct` how many are left; `plot mu` draws the objective of each. "
              "Flips are large where another has come to be shown.",
     .source = PSVM "Section 4"},
    {.name = "bag error",
     .also = "|proportion error|",
     .meaning = "How far the fractions of rows that the model predicts to be positive are from those told, summed over "
                "the bags. It needs no label of a row, so it is what parameters are chosen by (`tune`). 0 is no proof: "
                "the right number of wrong rows has it too.",
     .notation = "sum_k |p_k - p^_k|, p^_k of the signs of f",
     .watch = "`bag_error` in training bags, `eval bags` in others too, view `proportions`.",
     .source = PSVM "Eq. 23"},
    {.name = "InvCal",
     .also = "|inverse calibration|calibration|",
     .meaning = "Each bag counts as one point, the mean of its rows, whose output should be what a calibrated "
                "classifier has where positives are as frequent as told: support vector regression on means. Where "
                "bags of unlike proportions have like means, it is blind.",
     .notation = "1/2 ||w||^2 + Cp sum_k max(0, |t_k - w'm_k - b| - eps_k), t_k = -log(1/p_k - 1)",
     .watch = "`gap` is certified; `plot boundary` of `generate llp-toy` shows it mislead.",
     .source = PSVM "Eqs. 5 and 6; Rueping 2010"},
    {.name = "super-instance",
     .also = "|super instances|superinstance|superinstances|",
     .meaning = "A set of rows of which the share of positives is told, taken for one point, its mean: a bag; a row "
                "whose label is seen is one by itself.",
     .notation = "m_k = mean of phi(x_i) over the set, with p_k",
     .source = PSVM "Section 2; Rueping 2010"},
    {.name = "MeanMap",
     .also = "|mean map|",
     .meaning = "Takes for granted that rows of a class come from the same distribution in all bags. Then the bags' "
                "means are mixtures of two class means, which least squares find, and the exponential model needs no "
                "labels but these. Where a class is several groups, and bags differ in them, it is misled.",
     .notation = "m_k = p_k mu_+ + (1 - p_k) mu_-; min sum_i log 2 cosh f_i - n <theta, mu_XY> + lambda ||theta||^2",
     .watch = "`distance` of the two means, `condition` of the least squares.",
     .source = "Quadrianto, Smola, Caetano, Le 2009"},
    {.name = "snapshot",
     .also = "|time travel|history|",
     .meaning = "A run keeps its state after some of the steps. `back` and `goto` restore the nearest "
                "earlier one and step again, random generator included: the same bits come out."},
    {.name = "digest",
     .also = "|hash|",
     .meaning = "What the session file notes after a stepping command: iteration, verdict, objective with "
                "all digits, gap, flips, and hashes of labels and metrics. `replay --check` compares it."},
    {.name = "volatile",
     .also = "|volatile metric|seconds|",
     .meaning = "A metric such as seconds, which differs from one execution to the next. It is in no "
                "digest, and a stop by it is recorded as a number of steps."},
    {.name = "verdict",
     .also = "|more|converged|stalled|limit|convergence|",
     .meaning = "What the algorithm says after a step. more: it goes on. converged: its own criterion "
                "holds, which `help ALGORITHM` has. stalled: no progress is possible although the criterion does not hold. limit: a "
                "limit that was set is reached.",
     .notation = "WellSVM: violation + master gap + inner gap <= eps |objective|",
     .watch = "Converged by its own criterion is not proven: that is what `gap` is for. With search=exact "
              "it is proven as well.",
     .source = PAPER "Algorithm 1, line 6"},
    {.name = NULL},
};
/* clang-format on */

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
