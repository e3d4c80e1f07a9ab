/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The glossary: the terms of the field and of the program, for `explain` and docs/glossary.md, which test_glossary
 * compares with this table.  Section, equation and algorithm numbers are those of Li, Tsang, Kwok and Zhou, Convex and
 * Scalable Weakly Labeled SVMs, JMLR 14 (2013); its Section 4.1 is semi-supervised learning.  Marked SVMLIN: Sindhwani and
 * Keerthi, Large Scale Semi-supervised Linear SVMs, SIGIR 2006; PSVM: Yu, Liu, Kumar, Jebara and Chang, pSVM for Learning
 * with Label Proportions, ICML 2013; JOULIN: Joulin and Bach, A convex relaxation for weakly supervised classifiers,
 * ICML 2012.
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
    {.group = "The problem",
     .name = "weak labels",
     .also = "|weakly labelled|weak label learning|",
     .meaning = "Labels that do not give every row its true class. Only a few rows have a label "
                "(semi-supervised learning); a bag of rows has one label (multi-instance learning); only "
                "the proportion of positives in a bag is given (label proportions); a row has several "
                "candidate classes (ambiguous labels); or no row has a label (clustering). The learner has "
                "to find the missing labels and the classifier together.",
     .notation = "min over y in B and f of Omega(f) + C loss(f, y); B: the label set, Omega: the "
                 "regulariser",
     .source = PAPER "Sections 1 and 2, Eq. 2"},
    {.name = "labeling",
     .also = "|label vector|label assignment|labelings|labelling|y|y_t|",
     .meaning = "One assignment of labels to all rows that keeps the known labels: a vector of +1 and -1. (In "
                "multi-instance learning a row of a positive bag has +1 if it is a key instance, else 0.) y1, "
                "y2, ... are the labelings of the working set, in the order in which they were found.",
     .notation = "y^ = [y_1, ..., y_N]', y^ in B",
     .source = PAPER "Section 2"},
    {.name = "labels",
     .also = "|own labels|labels of the run|newest labeling|newest labelings|",
     .meaning = "The label that the run gives each training row now. In WellSVM these are the newest labeling of "
                "the working set. The search of the step before chose that labeling because the mixture did not "
                "account for it yet, not because it is plausible, so it may be far from the truth. What the run "
                "has learnt is its model: `eval` scores the model's predictions, `compare` counts the rows in which "
                "they differ, and `export predictions` writes them. `export labels` writes the labels."},
    {.name = "observed label",
     .also = "|observed labels|labelled row|labelled rows|predicted otherwise|",
     .meaning = "A label that the learner is given. A classifier need not agree with it: a row that the loss cannot "
                "fit, or that costs less than the norm of w saves, is predicted otherwise.",
     .watch = "`plot boundary`: a labelled row is `A` or `B`, and `a` or `b` (in figures with a cross) if the model "
              "predicts the other class; the legend counts these."},
    {.name = "label set",
     .also = "|B|allowed labelings|set of labelings|Delta|",
     .meaning = "All labelings that the task allows: they keep the known labels and satisfy whatever else "
                "is known, such as the number of positives. The set is finite, but mostly far too large to "
                "enumerate, and that makes the problem hard.",
     .notation = "B; for ssl { y | y_L as given, 1'y_U/(N-l) = 1'y_L/l }; for cluster { y | -beta <= 1'y "
                 "<= beta }",
     .watch = "`info task` counts the labelings. With search=auto, WellSVM searches the whole set in each step "
              "(search=exact) if it has at most 2^14 labelings, or at most 2^40 with at most 200 free labels. A "
              "run that converges then proves the optimum of the relaxation.",
     .source = PAPER "Section 2; after Eq. 13 for ssl"},
    {.name = "balance constraint",
     .also = "|balance|class balance|balance count|beta|",
     .meaning = "An SVM would get its widest margin by giving all unlabelled rows the same label. To "
                "exclude that, the fraction r of positives among the unlabelled rows is prescribed; by "
                "default it is the fraction among the labelled rows. Exactly ceil((1-r) n_u) of the n_u "
                "unlabelled rows are then negative. In clustering the sizes of the two groups may differ "
                "by at most beta.",
     .notation = "ssl: 1'y_U/(N-l) = 1'y_L/l; cluster: -beta <= 1'y <= beta",
     .watch = "With few labels the default r is a rough guess, and if it is wrong, every labeling in the label "
              "set has the wrong number of positives. If you know r, give it: `task ssl labeled=10 r=0.3`.",
     .source = PAPER "Section 4.1, after Joachims (1999); Section 4.3"},
    {.name = "mixed-integer program",
     .also = "|MIP|mixed integer program|integer problem|integer|integer optimum|integer program|",
     .meaning = "The original problem: find the labeling whose SVM has the smallest "
                "objective. The labels are discrete; for given labels the rest of the problem is convex. "
                "The optimum of the whole problem lies between `lower` and `integer_upper`. If there are at "
                "most 2^16 labelings, `set integer=all` trains an SVM on each, and `integer_upper` is then the "
                "optimum itself.",
     .notation = "min over y in B of max over alpha in A of G(alpha, y)",
     .watch = "`integer_upper` gets smaller whenever a better labeling is found, which may happen in any "
              "step. The objective of the best labeling found exceeds the integer optimum by at most "
              "integer_upper - lower.",
     .source = PAPER "Eq. 3, for ssl Eq. 14"},
    {.name = "integrality gap",
     .also = "|integer gap|relaxation gap|",
     .meaning = "The distance from the optimum of the relaxation to the integer optimum: the price of "
                "allowing mixtures of labelings. It is a property of the problem, not of the solver, and "
                "further steps do not make it smaller. If it is 0, the relaxation is tight.",
     .notation = "(min over y of max over alpha of G) - (max over alpha of min over y of G) >= 0",
     .watch = "integer_upper - objective, once the run has converged with a small `gap` and with "
              "integer=all (`lesson relaxation`). Do not confuse it with `gap`, which says how well the "
              "relaxation is solved.",
     .source = PAPER "after Eq. 4"},
    {.name = "relaxation",
     .also = "|convex relaxation|minimax relaxation|minimax|p*|",
     .meaning = "The min over labelings and the max over alpha are interchanged: instead of choosing one "
                "labeling the learner may mix labelings with weights mu. The relaxed problem is convex, so "
                "it has no local optima. Its optimum p* is a lower bound on the optimum of the "
                "mixed-integer program, at least as tight as those of the semidefinite relaxations of the label matrix alone (`mmc-sdp`); cuts and an upper bound, as in `bb bound=sdp`, can give tighter ones.",
     .notation = "max over alpha of min over y in B of G(alpha, y) = min over mu of max over alpha of "
                 "sum_t mu_t G(alpha, y_t)",
     .watch = "One mu near 1: the solution is nearly one labeling, and little is lost. Many mu of similar "
              "size: the solution is a compromise, and rounding it will cost.",
     .source = PAPER "Eq. 4 and 6, Proposition 1, Theorem 1"},
    {.name = "label matrix",
     .also = "|M|SDP|semidefinite program|semidefinite relaxation|",
     .meaning = "A labeling y enters the SVM's dual only by the products of its labels, the matrix yy'. A relaxation puts "
                "a matrix M in its place that has some properties of yy': no negative eigenvalue, 1 on its diagonal, "
                "the products of the given labels, the balance. These matrices are more than the mixtures of "
                "labelings, so the bound is never above WellSVM's, unless further conditions are added, as by the cuts of `bb bound=sdp`.",
     .notation = "min over M of max over alpha of 1'alpha - 1/2 alpha'(K o M)alpha, o: element by element",
     .watch = "`plot matrix` shows M in mmc-sdp; `leading` is 1 when M is the matrix of a labeling. `lesson three-bounds`.",
     .source = "Xu, Neufeld, Larson, Schuurmans 2004"},
    {.name = "eigenvalue",
     .also = "|eigenvalues|eigenvector|trace|",
     .meaning = "A symmetric matrix stretches its eigenvectors, which are at right angles, by its eigenvalues. Their sum is "
                "the trace, the sum of the diagonal. The matrix yy' of a labeling has one eigenvalue above 0, which is "
                "the whole trace. The more eigenvalues share it, the further a matrix is from any labeling.",
     .notation = "M v = lambda v; v'Mv >= 0 for all v if no eigenvalue is below 0 (psd)",
     .watch = "`plot spectrum`; the metrics `rank` and `leading`."},
    {.name = "barrier",
     .also = "|barrier method|interior point|",
     .meaning = "A term that grows without bound towards the border of what is allowed, such as minus the logarithm of a "
                "variable that must stay positive. Newton's method then needs no bounds. The objective weighs t times as "
                "much as the barriers; as t grows, the optimum of the sum approaches that of the problem.",
     .notation = "max of t f(x) + sum log x_i + log det S(x)",
     .watch = "`t` in mmc-sdp and gmmc grows from step to step, and the gap falls with 1/t."},
    {.group = "WellSVM",
     .name = "G",
     .also = "|dual function|G(alpha,y)|G(alpha, y)|",
     .meaning = "The dual objective of the SVM trained on the labeling y, at the dual variables alpha. Its "
                "largest value over alpha measures how badly the labeling fits: a narrow margin and large "
                "losses make it large.",
     .notation = "hinge: G = 1'alpha - 1/2 (alpha.y)'K(alpha.y), 0 <= alpha_i <= C_i",
     .source = PAPER "Section 3.1, Eq. 14"},
    {.name = "objective",
     .also = "|objective value|p(t)|master's value|",
     .meaning = "The value that the run minimises; each algorithm's metric of this name says which. In WellSVM it is the "
                "value of the master: the best mixture of the labelings found so far. While the settings are "
                "unchanged, WellSVM's never rises (except within the master's tolerance `mtol=`), because each new "
                "labeling is one more choice, and it is never below the relaxation's optimum by more than that "
                "tolerance.",
     .notation = "p(t) = min over mu of max over alpha of sum_t mu_t G(alpha, y_t), y_t in the working "
                 "set; p(t+1) <= p(t) - eta",
     .watch = "A step of WellSVM in which it hardly decreases does not prove that it is near the optimum, as the search may "
              "have missed a labeling. A small `gap` proves it. The next step lowers the objective by at most "
              "about `violation`. With loss=sum-to-one the objective is negative.",
     .source = PAPER "Eq. 11, Theorem 2"},
    {.name = "alpha",
     .also = "|dual variables|dual variable|multipliers|multiplier|support vectors|support vector|A|",
     .meaning = "The dual variables of the SVM, one per row. (In multi-instance learning: one per positive bag "
                "and one per row of a negative bag.) Rows with alpha > 0 are the support vectors. A row with "
                "alpha = 0 has no influence on the classifier, and G at this alpha does not depend on that row's "
                "label.",
     .notation = "alpha in A; hinge loss: A = { 0 <= alpha_i <= C1 (labelled), 0 <= alpha_j <= C2 (unlabelled) }; squared hinge: no upper bounds",
     .source = PAPER "Eq. 14"},
    {.name = "working set",
     .also = "|C|set of labelings found|active set|",
     .meaning = "The labelings found so far. The master problem combines only these, with weights mu. Each step "
                "begins by adding the violated labeling that the search of the step before found; the first step "
                "adds an initial labeling. A few dozen labelings usually suffice; the rest of the label set is "
                "not needed.",
     .notation = "C = { y_1, ..., y_T } (the paper's calligraphic C, not the cost C)",
     .watch = "`working_set` counts them, `active` those with mu > 0. Labelings whose weight has become 0 "
              "are kept and may get weight again.",
     .source = PAPER "Section 3.4, Algorithm 1"},
    {.name = "violated labeling",
     .also = "|violated label|violated label assignment|violated|most violated "
             "labeling|violation|epsilon_r|",
     .meaning = "A labeling outside the working set for which G at the current alpha is lower than for "
                "every labeling inside. The current mixture does not account for it, so it is added. "
                "`violation` is the difference.",
     .notation = "epsilon_r = min over y in the working set of G(alpha, y) - G(alpha, y_r) > 0; the most "
                 "violated: min over y in the label set of G(alpha, y)",
     .watch = "Large at first; it need not decrease in every step. If it is 0, the search found no violated "
              "labeling. Only with search=exact does that prove that there is none.",
     .source = PAPER "Proposition 3; Section 4.1.3, Eq. 18 to 22"},
    {.name = "cutting plane",
     .also = "|cutting planes|cutting plane algorithm|label generation|constraint generation|theta|",
     .meaning = "A method for problems with too many constraints: solve the problem with a few of them, "
                "find a constraint that the solution violates, add it, and solve again. The added "
                "constraint cuts off the old solution. Here each labeling is a constraint, and a step is "
                "one such round. `lesson cutting-plane` shows it.",
     .notation = "max over alpha, theta of -theta s.t. theta >= -G(alpha, y_t) for all y_t in B",
     .watch = "mu of the new labeling (mostly above 0: its constraint is active), the decrease of the "
              "objective, and how fast `violation` decreases.",
     .source = PAPER "Eq. 5, Section 3.4, Algorithm 1; Kelley (1960)"},
    {.name = "master",
     .also = "|master problem|restricted problem|multiple label-kernel learning|MKL|MLKL|label-kernel "
             "learning|",
     .meaning = "The relaxed problem over the labelings of the working set only: find the weights mu and "
                "the SVM (alpha) of the mixture. It is multiple kernel learning with one base kernel per "
                "labeling. A `step` solves it to a certified gap; a `stepi` updates mu once.",
     .notation = "min over mu of max over alpha of sum_t mu_t G(alpha, y_t), y_t in the working set; base "
                 "kernels K.(y_t y_t')",
     .watch = "`master_gap` inside a step (`stepi`): an update of mu mostly makes it smaller. master=mklgl is "
              "the paper's update, which is slower.",
     .source = PAPER "Eq. 11, Section 4.1.2, Eq. 15 to 17"},
    {.name = "mu",
     .also = "|mixing weights|mixing coefficients|mixture|mixture of labelings|weights of the labelings|mu_t|",
     .meaning = "The weights of the labelings in the working set; they are at least 0 and sum to 1. "
                "Labelings with weight 0 have no part in the mixture at present. mu_t is also the "
                "multiplier of the constraint that y_t adds: if it is above 0, the constraint is active.",
     .notation = "mu in M = { mu | sum_t mu_t = 1, mu_t >= 0 }; MKLGL: mu_t = ||w_t|| / sum_s ||w_s||",
     .watch = "The newest labeling takes weight from the older ones; `plot mu` draws that. If one labeling has "
              "all the weight at the end of a run that is proven, the relaxation is tight.",
     .source = PAPER "Proposition 1, Section 4.1.2"},
    {.name = "linearisation",
     .also = "|linearization|search|multistart|H|",
     .meaning = "The most violated labeling is the one at which the convex function y'Hy is largest over the "
                "label set. Finding it exactly is hard. Maximising the linearisation of y'Hy at a known labeling "
                "only takes sorting. The paper's search does this once, at the labeling of the working set with "
                "the largest y'Hy. So it may miss a violated labeling, and the run then stops too early. "
                "`search=multistart` linearises at many labelings and improves what it finds; `search=exact` "
                "finds the maximum and proves it.",
     .notation = "max over y in B of r'y, r = H ybar, H = K.(alpha alpha'), ybar = argmax over the working set "
                 "of y'Hy",
     .watch = "If a run with search=paper converges and `gap` is still large: `set search=multistart` and continue.",
     .source = PAPER "Eq. 20 to 22, Propositions 4 and 5"},
    {.group = "Bounds",
     .name = "duality gap",
     .also = "|gap|relgap|inner_gap|inner gap|certified gap|optimality gap|duality|dual|dual value|weak duality|certified|certificate|",
     .meaning = "The distance between a certified upper and a certified lower bound of the same optimum. It "
                "proves how far a solution can be from the optimum at most, whichever solver found it. In "
                "WellSVM `inner_gap` is the gap of one SVM, `master_gap` that of the master, and `gap` = upper - "
                "lower that of the whole relaxation. In every algorithm `gap` is that of the whole problem that "
                "the run solves, and `relgap` is gap / |upper|. `lesson gap` shows how to read them.",
     .notation = "any primal value >= optimum >= any dual value (weak duality); for the relaxation J(mu) "
                 ">= p* >= min over B of G(alpha, y)",
     .watch = "relgap 0.055 is shown as 5.5 % open; at most 1e-6, after convergence, as proven (`explain "
              "proven`). If it is large although `violation` is 0, either the bound is loose or the search "
              "missed a labeling; which of the two is not known. `continue until relgap < 0.01` stops by "
              "it.",
     .source = PAPER "Section 3.2, Eq. 4"},
    {.name = "open",
     .also = "|% open|percent open|relaxation open|best labeling open|",
     .meaning = "Shown after a verdict: \"4.4 % open\" says that `relgap` is 0.044: the optimum is at most 4.4 % of "
                "|upper| below `upper`. \"relaxation 4.4 % open\": of the relaxation, not of the problem itself "
                "(`explain proven`). What is open is not known to be lost: the bound may be loose, or the "
                "solution. No number is shown where there is no certified bound. The bracket of `compare` "
                "says the same of a run's best labeling, by the largest lower bound of several runs. (The metric "
                "`open` of bb is another thing: it counts nodes of a tree.)",
     .notation = "relgap = (upper - lower) / |upper|, in per cent"},
    {.name = "proven",
     .also = "|proved|proof|relaxation proven|best labeling proven|",
     .meaning = "Shown at the end of a run that converged with `relgap` at most 1e-6: the certified bounds "
                "agree to about six digits, so the run has solved its problem, whatever its search did. Where the "
                "bounds enclose another solution, it says so. \"relaxation proven\": that of the relaxation, "
                "not of the mixed-integer program. In wellsvm the mixture of labelings is this solution, and "
                "predicts; the optimum of the mixed-integer program, which algo bb finds, may be larger. With "
                "finish=alternate, and in softmax-sdp and conv-psvm, the labels that predict were rounded from "
                "it. \"best labeling proven\" (tsvm, mfa): a step before the last had the best value. wellsvm "
                "says proven alone if a labeling attains the lower bound: then the relaxation is tight. A run whose labels were rounded states the objective of "
                "these labels beside the lower bound, if it knows both; if these two agree, it says proven. A run that converges "
                "with a larger relgap shows how much is open, such as \"3.4 % open\".",
     .notation = "converged, and relgap = (upper - lower) / |upper| <= 1e-6",
     .watch = "`converged` alone says only that the algorithm's own criterion holds; a heuristic search "
              "may have stopped too early. Where `lower` has no value (shown as -), as in alter-psvm with hidden labels, proven is never shown."},
    {.name = "upper bound",
     .also = "|upper and lower|certified upper bound|bounds|bound|integer_upper|",
     .meaning = "A number that the optimum certainly does not exceed. In WellSVM `upper` is the smallest one "
                "found so far for the relaxation: the master's primal value or the SVM objective of a single "
                "labeling, whichever is smaller. It never rises while the settings are unchanged. "
                "`integer_upper` is the bound of the mixed-integer program: the SVM objective of the best "
                "feasible labeling found. It bounds the relaxation's optimum too, because a single labeling is a "
                "mixture in which it has all the weight.",
     .notation = "J(mu) = max over alpha of sum_t mu_t G(alpha, y_t) >= p*",
     .source = PAPER "Eq. 6"},
    {.name = "lower bound",
     .also = "|certified lower bound|",
     .meaning = "A number below which the optimum certainly is not. `lower` is the largest one found so far; it never falls while the settings are unchanged. A heuristic value is not a bound: without a certificate `lower` "
                "has no value and is shown as -.",
     .notation = "min over y in B of G(alpha, y) <= p*, at any alpha in A",
     .watch = "The lower bound is the harder of the two to compute: search=exact finds the minimum over the label set; the other searches "
              "need a bound of that minimum (`bound=`), which may stay loose.",
     .source = PAPER "Eq. 4"},
    {.name = "bracket",
     .also = "|global bracket|",
     .meaning = "Two numbers between which the global optimum lies: the value of some labeling is above "
                "it, and a certified lower bound, such as WellSVM's, is below it. The bracket holds across "
                "algorithms if all of them minimise the same function over the same labelings.",
     .notation = "lower <= min of Eq. 7 <= upper",
     .watch = "`compare` prints it, or says why a run cannot take part.",
     .source = SVMLIN "Eq. 7; " PAPER "Section 3"},
    {.name = "branch and bound",
     .also = "|BB|branch-and-bound|search tree|node|nodes|",
     .meaning = "A search that proves its answer without examining every labeling. It divides the label "
                "set in two again and again by fixing labels. If the lower bound of a part exceeds the "
                "value of the best labeling known, the part contains no better one and is discarded. If "
                "the search is stopped early, the remaining parts still give a bound.",
     .notation = "min over B = min of the mins over B' and B''; B' is discarded when its bound >= the best "
                 "known value",
     .watch = "`algo bb` does this for the mixed-integer program, `search=exact` for the most violated "
              "labeling of a WellSVM step.",
     .source = "Land, Doig 1960"},
    {.group = "Results of a run",
     .name = "rounding",
     .also = "|rounding error|rounded labeling|",
     .meaning = "WellSVM's solution of the relaxation is a mixture of labelings. Rounding turns it into one "
                "labeling that the task allows, the one nearest to the prediction. The solution of softmax-sdp "
                "is a matrix Z. It is rounded by k-means on the leading eigenvectors, by rotating these onto the "
                "axes, or in several such ways, of which the best is used (`rounding=`).",
     .notation = "argmax over y in B of f'y for decision values f",
     .watch = "`rounded` - `objective`: what one labeling costs in place of the mixture. `integer_upper` "
              "below `rounded`: the run has found a better labeling than rounding gives."},
    {.name = "prediction",
     .also = "|f|decision function|decision line|boundary|model|decision values|",
     .meaning = "What the run has learnt: the sign of f(x), or with several classes the class with the largest "
                "output. In WellSVM f is the sum of the classifiers of the working set, each weighted by its mu, "
                "minus a threshold (`threshold=`). `plot boundary` draws where f is 0, `eval` scores the "
                "predictions, `export model` writes f.",
     .notation = "f(x) = sum_t w_t'phi(x) - threshold, w_t = mu_t sum_i alpha_i y_ti phi(x_i)",
     .watch = "It may be right where the newest labeling (`explain labels`) is wrong, because that "
              "labeling is only one of the mixture.",
     .source = PAPER "end of Section 4.1.3"},
    {.name = "flips",
     .also = "|label flips|flip|",
     .meaning = "The number of labels that differ from the step before. In WellSVM flips compare the two newest "
                "labelings of the working set and leave out the rows that have no influence (alpha = 0). There "
                "flips need not decrease, because the search chooses a labeling for its violation, not for its "
                "nearness to the one before. `info flips` lists all rows whose labels differ."},
    {.group = "The SVM",
     .name = "SVM",
     .also = "|support vector machine|large margin|maximum margin|margin|",
     .meaning = "The classifier with the widest margin between the classes, at a cost for rows that are "
                "inside the margin or on the wrong side.",
     .notation = "min over w of 1/2 ||w||^2 + sum_i C_i loss(y_i w'phi(x_i))",
     .source = PAPER "Section 2, Eq. 13"},
    {.name = "hinge loss",
     .also = "|hinge|xi|slack|",
     .meaning = "The cost of a row in the SVM: 0 if the row is on the side of its label and outside the margin, "
                "otherwise proportional to its distance from the edge of the margin on that side.",
     .notation = "xi = max(0, 1 - y f(x))",
     .source = PAPER "Eq. 13"},
    {.name = "squared hinge loss",
     .also = "|squared hinge|sum-to-one|sum to one|mu-SVM|",
     .meaning = "Half the square of the hinge loss (loss=squared-hinge). With dual variables scaled to sum to one "
                "(loss=sum-to-one) it is the paper's nonlinear variant, whose objective is negative. At the same "
                "costs, with lambda=1, the two settings have the same best mixture: if the optimum with "
                "squared-hinge is p, that with sum-to-one is -1/(4 p).",
     .notation = "1/2 max(0, 1 - y f(x))^2, whose dual has K + diag(1/C_i) in place of K; sum-to-one: G = -1/2 alpha'((K + diag(1/C_i)).yy')alpha, 1'alpha "
                 "= 1",
     .source = PAPER "Section 3.1"},
    {.name = "kernel",
     .also = "|K|kernel matrix|feature map|phi|gram matrix|",
     .meaning = "The inner product of two rows in a space of features that need not be computed explicitly.",
     .notation = "K_ij = phi(x_i)'phi(x_j); rbf: exp(-gamma ||x_i - x_j||^2)",
     .watch = "With a wide kernel (large sigma, that is, small gamma) the outputs of neighbouring rows are "
              "alike, and the gap is often wider. With a narrow one the classifier follows every point.",
     .source = PAPER "Section 3.1"},
    {.name = "local optimum",
     .also = "|local minimum|local optima|local minima|fixed point|",
     .meaning = "A labeling that no small change improves although a better one exists. Methods that "
                "improve a single labeling (TSVM, alternation) may end in one: a fixed point, at which their next step "
                "would change nothing. A convex relaxation has none.",
     .watch = "Other starts, seeds or temperatures end elsewhere: `lesson annealing`. If there is a "
              "bracket, `compare` says how far at most the result is from the global optimum.",
     .source = PAPER "Sections 2.1 and 3.4"},
    {.group = "TSVM and mean field annealing",
     .name = "label switching",
     .also = "|switching|multiple switching|label pairs|pairs|TSVM|transductive SVM|transductive L2-SVM-MFN|",
     .meaning = "TSVM exchanges the labels of a positive and a negative unlabelled row if the negative one has "
                "the larger output and neither is beyond the margin on the side of its label. The number of "
                "positives does not change. The exchange lowers the objective, and training w again lowers it "
                "further, so the algorithm ends.",
     .notation = "y'_i = 1, y'_j = -1, o_i < 1, -o_j < 1, o_i < o_j; up to S pairs at a time",
     .watch = "`pairs`: exchanged in this step; `pending`: to be exchanged in the next. If pending is 0, "
              "lambda' is raised; at its last value the run ends, in a local optimum.",
     .source = SVMLIN "Section 3.1.2, Table 4; Joachims 1999"},
    {.name = "weight of the unlabelled rows",
     .also = "|lambda'|lambda prime|lambda_u|lambda now|",
     .meaning = "How much the unlabelled rows count relative to the labelled ones. TSVM lets lambda' grow to its "
                "last value, lambda_u, so that at first the labelled rows alone determine the classifier.",
     .notation = "lambda'/(2u) sum_j loss_j",
     .watch = "The larger it is, the fewer rows may be near the decision boundary, and the more local "
              "optima there are: annealing then has to cool more slowly (`cooling=`).",
     .source = SVMLIN "Eq. 7; end of Section 4"},
    {.name = "J",
     .also = "|transductive objective|J_best|J_balanced|",
     .meaning = "The value by which TSVM and mean field annealing are judged, whatever each of them minimises on "
                "its way. It is the objective as a function of w alone, at the last value of lambda', with the "
                "better label for every unlabelled row. There is no balance in J: these labels may all be of one "
                "class, and J may be smallest there. `J_best`, the smallest J so far, may therefore be that of an "
                "early w that predicts nearly one class, not of the w by which the run predicts. `J_balanced` is "
                "the value with labels of which exactly the prescribed number is positive, and `upper` is the "
                "smallest J_balanced so far.",
     .notation = "lambda/2 ||w||^2 + 1/(2l) sum max(0, 1 - y o)^2 + lambda'/(2u) sum max(0, 1 - |o'|)^2, lambda' "
                 "= lambda_u",
     .watch = "Compare runs only for equal lambda, lambda' and r, after their last step, and by J_balanced: it "
              "takes the balance into account, and needs no hidden label. Compare J only of runs whose labels "
              "are in balance, and do not choose a run by J_best. A smaller value need not mean a smaller error.",
     .source = SVMLIN "Eq. 18"},
    {.name = "Newton iteration",
     .also = "|Newton's method|finite Newton|L2-SVM-MFN|MFN|line search|",
     .meaning = "The squared hinge loss is quadratic as long as no row enters or leaves the margin. A "
                "Newton iteration solves this quadratic problem for the rows inside the margin, and then "
                "moves along the line to its solution until the true objective is smallest. A few "
                "iterations are enough.",
     .notation = "(lambda I + X'DX) n = -g, D: the costs of the rows inside the margin; w <- w + delta n, delta "
                 "= argmin f(w + delta n)",
     .watch = "`newtons` counts them in a step of tsvm or mfa; a step of mfn is one. `inner_gap` = ||g||^2/(2 "
              "lambda) proves how near w is to the solution.",
     .source = SVMLIN "Section 2, Tables 1 and 3; Keerthi, DeCoste 2005"},
    {.name = "conjugate gradients",
     .also = "|CG|CGLS|conjugate gradient|",
     .meaning = "How the linear system of a Newton iteration is solved with a linear kernel. It needs only products with X and X', so X may be large and sparse. Each iteration reads the data once (newton=paper: twice).",
     .notation = "q = X p, step ||r||^2/(lambda ||p||^2 + q'Dq), D: the costs of the rows inside the margin",
     .watch = "`cg` counts the CG iterations (in softmax-sdp since the start); with large data they take most of the time.",
     .source = SVMLIN "Section 2.1, Table 2"},
    {.name = "annealing",
     .also = "|temperature|mean field annealing|mean field|deterministic annealing|cooling|",
     .meaning = "Each unlabelled row has a belief instead of a label, and the objective rewards undecided "
                "beliefs: it contains their entropy times the temperature T, with a minus sign. While T is "
                "high, a row costs least where the classifier is undecided, and the problem has hardly any "
                "local optima. T then decreases slowly, and the solution follows. alter-psvm anneals in "
                "another way, without beliefs: C*, the weight of the losses, rises from near 0 to C "
                "(`explain C*`).",
     .notation = "mfa: Eq. 7 with p_j for the labels, minus T/(2u) sum_j H(p_j)",
     .watch = "View `loss`: the cost of a row as a function of its output has one minimum at first and two "
              "in the end. `finish` makes the steps of one temperature. If the beliefs change from "
              "undecided to half decided from one temperature to the next, T decreases too fast: try "
              "`cooling=1.1`.",
     .source = SVMLIN "Section 3.2, Eqs. 8 and 9, Figure 2"},
    {.name = "continuation",
     .also = "|homotopy|graduated nonconvexity|smoothed objective|",
     .meaning = "The objective is replaced by its mean over a Gaussian neighbourhood of w, which is convex if the "
                "neighbourhood is wide. Its minimum is found, and followed while the neighbourhood narrows to a point. "
                "So the run begins at a place that no start decides, and enters the hollows of the objective late.",
     .notation = "J_gamma(w) = mean of J(w + e), e normal with mean 0 and variance gamma in each direction",
     .watch = "`curvature` at most 1: the objective is certainly convex. View `loss` narrows from level to level; view "
              "`slice` is a single valley at first.",
     .source = "Chapelle, Chi, Zien 2006"},
    {.name = "majoriser",
     .also = "|majorizer|convex-concave procedure|concave-convex procedure|CCCP|majorise-minimise|tangent|touching|",
     .meaning = "A convex function that is nowhere below the objective and equal to it at the present w. Its minimum "
                "therefore lowers the objective, by at least as much as it lies below the present value, without a "
                "step length to choose. If the objective is a convex function minus another, the second is replaced "
                "by its tangent at the present w, and the difference is a majoriser (convex-concave procedure).",
     .notation = "J = A - B, A and B convex: A(w) - B(w_old) - B'(w_old)(w - w_old) >= J(w), equal at w_old",
     .watch = "View `slice` draws both along the last move: they touch at t = 0. `gain` is what the majoriser promised; "
              "the objective falls by at least that. `gain` = 0: no majoriser that touches here has a smaller minimum.",
     .source = "Yuille, Rangarajan 2003; Collobert and others 2006"},
    {.name = "ramp loss",
     .also = "|ramp|hat|hat loss|symmetric ramp|",
     .meaning = "The hinge loss cut at the height 1 - s, so that a row far on the wrong side costs no more than that. For an "
                "unlabelled row the ramps of both labels add up to a hat and a constant: the loss is largest at the "
                "boundary, flat for |o| <= -s, and 0 beyond the margin.",
     .notation = "R(z) = min(1 - s, max(0, 1 - z)); R(o) + R(-o) = 1 - s + min(1 + s, max(0, 1 - |o|))",
     .watch = "View `loss` of cccp draws the hat and, for a row on either side, the convex function that takes its place. "
              "`undecided` counts the rows on the flat top, which no label draws.",
     .source = "Collobert, Sinz, Weston, Bottou 2006"},
    {.name = "balance by centring",
     .also = "|centring|centred rows|mean output|",
     .meaning = "The mean output of the unlabelled rows is fixed, at 2 r - 1, and the offset is free. Then the offset "
                "follows from w, and if the mean of the unlabelled rows is subtracted from all rows, every w satisfies "
                "the constraint. s3vm and cccp use this. It fixes the mean output, not the number of positive rows.",
     .notation = "o = <w, phi(x) - m> + 2 r - 1, m: the mean of phi over the unlabelled rows",
     .watch = "If r is wrong, the boundary moves: the mean output remains as requested.",
     .source = "Chapelle, Zien 2005"},
    {.name = "L-BFGS",
     .also = "|lbfgs|quasi-Newton|limited memory|Wolfe|Armijo|",
     .meaning = "A descent method for differentiable functions. From the last ten moves and the changes of the "
                "gradient along them it estimates how the function is curved, and moves along the gradient corrected "
                "for that. A line search accepts a move if the function falls enough and its slope along the move "
                "becomes flat enough.",
     .notation = "d = -B g; f(w + a d) <= f(w) + 1e-4 a g'd and g(w + a d)'d >= 0.9 g'd",
     .watch = "`gradient` falls, not in every step; `length` is how far a step moved w. View `slice` draws the function "
              "along the last move.",
     .source = "Nocedal 1980; Liu, Nocedal 1989"},
    {.name = "entropy regularisation",
     .also = "|entropy minimization|entropy minimisation|",
     .meaning = "Logistic regression on the labelled rows with a penalty on the entropy of the predicted probabilities "
                "of the others, which draws these rows away from the boundary. The penalty is smallest if all rows are "
                "on one side; nothing but the labels and a small lambda_e prevents that.",
     .notation = "lambda/2 ||w||^2 + 1/l sum log(1 + exp(-y o)) + lambda_e/u sum H(p), p = 1/(1 + exp(-o))",
     .watch = "`entropy` near 0 with nearly all labels alike is a collapse: use a smaller `lambda_e=`, or s3vm, which "
              "prescribes the balance.",
     .source = "Grandvalet, Bengio 2004"},
    {.name = "graph of neighbours",
     .also = "|graph|nearest neighbours|knn|edges|edge|components|Laplacian|L|f'Lf|energy|",
     .meaning = "Each row is joined to its k nearest rows. Rows without a label are in the graph, too, so it shows the "
                "shape of the data: two curved clouds are two nets with few edges between them. A function f that "
                "changes little along the edges has a small f'Lf; one that is constant on each component has 0.",
     .notation = "W_ij = 1 or exp(-||x_i - x_j||^2 / (4 t)) on an edge; L = D - W, D_ii = sum_j W_ij; f'Lf = sum over "
                 "edges of W_ij (f_i - f_j)^2",
     .watch = "`unreached` of lapsvm counts rows in components without a label: no label reaches them along edges. `plot "
              "boundary` draws the edges of data with two columns.",
     .source = "Belkin, Niyogi, Sindhwani 2006"},
    {.name = "deformed kernel",
     .also = "|graph kernel|manifold regularisation|LapSVM|Laplacian SVM|rho|gamma_A|gamma_I|",
     .meaning = "A kernel whose norm of f also counts the changes of f along a graph of the rows, with the weight rho. Any "
                "algorithm that works with a kernel can use it (`graph=knn:6 rho=1`); with an SVM this is the Laplacian "
                "SVM. A function of the deformed kernel is also one of the kernel itself, with other coefficients, so it "
                "predicts new rows.",
     .notation = "K^ = K (I + rho L K)^-1; ||f||_K^^2 = ||f||_K^2 + rho f'Lf; rho = gamma_I / (gamma_A n^2)",
     .watch = "`plot kernel` shows how the matrix becomes block-wise as rho rises.",
     .source = "Sindhwani, Niyogi, Belkin 2005"},
    {.name = "normalised cut",
     .also = "|Ncut|ncut|cut|spectral clustering|lambda_2|Ritz value|",
     .meaning = "How much similarity a partition into two clusters cuts, relative to all the similarity that each of them "
                "has. The smallest is hard to find; the second eigenvalue of the graph's normalised Laplacian is a lower "
                "bound, and its eigenvector, cut at a threshold, gives clusters.",
     .notation = "Ncut = cut / vol(A) + cut / vol(B) >= lambda_2, (D - W) v = lambda_2 D v",
     .watch = "`ncut` approaches lambda_2 from above (`ritz`) and proves it at the end (`lower`).",
     .source = "Shi, Malik 2000"},
    {.name = "critical temperature",
     .also = "|critical|",
     .meaning = "The temperature at which, as T decreases, the beliefs decide for one class or the other. With "
                "the squared hinge loss the cost of a row as a function of its output o has a single minimum, at "
                "o = 0, while T is above 2 lambda', and two minima below. Rows that share features move to the "
                "same minimum together, so most beliefs decide in a narrow range of T, where J decreases most.",
     .notation = "second derivative of the effective loss at o = 0: 2 - 4 lambda'/T",
     .watch = "`entropy` leaves log 2 = 0.693 there. Annealing works because it passes this temperature "
              "slowly (`cooling=1.1`). With loss=hinge the cost has a hump at o = 0 at every T.",
     .source = SVMLIN "Section 3.2, Figure 2"},
    {.name = "belief",
     .also = "|beliefs|p_j|",
     .meaning = "The probability of +1 that mean field annealing gives an unlabelled row instead of a "
                "label: 1/2 is undecided, near 0 or 1 is firm. The mean of all beliefs is `r`, the proportion of positives.",
     .notation = "p_j = 1/(1 + exp((g_j - 2 nu)/T)), g_j = lambda' (max(0, 1 - o)^2 - max(0, 1 + o)^2)",
     .watch = "`entropy` says how undecided they are, `kl` how much they changed.",
     .source = SVMLIN "Section 3.2.2, Eq. 15"},
    {.name = "entropy",
     .also = "|mean entropy|kl|divergence|Kullback-Leibler divergence|",
     .meaning = "How undecided the beliefs of mean field annealing are on average: log 2 = 0.693 if all are 1/2, "
                "0 if all are firm. The divergence `kl` measures how much the beliefs changed in the last step; "
                "when it is near 0, they have converged, and the temperature is lowered. (The metric `entropy` "
                "of softmax-em is another one: that of the class proportions.)",
     .notation = "H(p)/u, H(p) = -sum_j (p_j log p_j + (1 - p_j) log(1 - p_j))",
     .watch = "The beliefs decide at the temperature at which the entropy decreases fastest.",
     .source = SVMLIN "Eqs. 16 and 17"},
    {.name = "effective loss",
     .also = "|loss of an unlabelled row|unlabelled loss|transductive loss|",
     .meaning = "What an unlabelled row adds to the objective, in units of lambda'/(2u), as a function of its "
                "output alone: its label, or the belief in it, is the best for that output.",
     .notation = "T = 0: max(0, 1 - |o|)^2; else min over p of p V+ + (1-p) V- - (T/lambda') H(p), V+- = "
                 "max(0, 1 -+ o)^2",
     .watch = "`plot loss`: when T is small it is highest at o = 0, so rows are pushed out of the margin, "
              "to the side on which they happen to be.",
     .source = SVMLIN "Figures 1 and 2, Eqs. 8 and 15"},
    {.group = "Tasks",
     .name = "semi-supervised learning",
     .also = "|ssl|semi-supervised|transductive|transductive learning|S3VM|semi-supervised SVM|",
     .meaning = "Few rows have labels, many have none, and the learner uses both: the decision boundary "
                "should pass where rows are rare.",
     .notation = "min over y in B, w, xi of 1/2||w||^2 + C1 sum_i xi_i (labelled) + C2 sum_j xi_j "
                 "(unlabelled)",
     .watch = "C2 relative to C1: how much the unlabelled rows may change what the labelled rows say.",
     .source = PAPER "Section 4.1, Eq. 13"},
    {.name = "clustering",
     .also = "|maximum margin clustering|MMC|",
     .meaning = "No row has a label. The learner looks for the two groups that an SVM separates with the widest "
                "margin; their sizes may differ by at most beta. WellSVM chooses among all sizes within that "
                "limit. TSVM and mean field annealing prescribe the fraction r of positives, 1/2 or as given by "
                "`r=`, which must be within the limit. kmeans, softmax-em and softmax-sdp find three or more "
                "groups, too (`task cluster classes=3`).",
     .notation = "B = { y | -beta <= 1'y <= beta }",
     .source = PAPER "Section 4.3"},
    {.name = "one class",
     .also = "|one-class|",
     .meaning = "Only labels of one class are given. If the fraction r of positives is prescribed, this is "
                "enough: the other rows have to be divided between both classes. `task pu` is for this case.",
     .watch = "`task ssl labeled=10 only=positive r=0.5` gives ten positive labels and no negative one. With a "
              "wrong r rows get the wrong class.",
     .source = SVMLIN "Section 5"},
    {.name = "positive and unlabelled rows",
     .also = "|PU learning|positive and unlabelled|PU|positive-unlabelled|",
     .meaning = "Some positive rows are labelled, and no negative one; the unlabelled rows are a mixture of both classes. "
                "The negatives' part of a classifier's risk is then that of the unlabelled rows, less the class prior times "
                "that of the labelled ones. The sum with the positives' part is an unbiased estimate of the risk, which upu "
                "minimises.",
     .notation = "R = pi E_+[l(f)] + E_U[l(-f)] - pi E_+[l(-f)]",
     .watch = "`plot risk`: the negatives' part, R-. Below 0 the classifier fits these rows, not the classes; nnpu has "
              "max(0, R-) in its place.",
     .source = "du Plessis, Niu and Sugiyama, ICML 2015; Kiryo et al., NIPS 2017"},
    {.name = "class prior",
     .also = "|pi|prior|",
     .meaning = "The fraction of positives in the mixture from which the unlabelled rows come; the labelled positive rows are "
                "not counted. `task pu prior=auto` estimates it, with an interval.",
     .watch = "The interval in `info task`: with few labels it is wide. If the classes overlap everywhere, the estimate is too "
              "large.",
     .source = "Blanchard, Lee and Scott, JMLR 11 (2010); Garg et al., NeurIPS 2021"},
    {.name = "multi-instance learning",
     .also = "|multiple instance learning|MIL|key instance|multi-instance|multiple instance|",
     .meaning = "Examples are bags of rows. A bag is positive if at least one of its rows (its key "
                "instance) is, but which one is not given. The SVM has one constraint per positive bag, on "
                "its key instance, at cost C1, and one constraint per instance of a negative bag, at cost "
                "C2. A bag is predicted by the largest output of its instances.",
     .notation = "f(B) = max over x in B of f(x)",
     .watch = "`eval bags` scores bags, and key instances if the data have labels of single instances; `export "
              "bags` writes one row per bag.",
     .source = PAPER "Section 4.2, Eqs. 23 and 24"},
    {.name = "references and citers",
     .also = "|citer|citers|reference|references|citation kNN|citation-knn|Hausdorff distance|minimal Hausdorff distance|",
     .meaning = "The bags that vote in citation-knn. The references of a bag are the training bags nearest to "
                "it; its citers are the training bags for which it is among the nearest. The distance of two bags "
                "is that of their nearest instances (minimal Hausdorff distance).",
     .notation = "d(B, B') = min over x in B, x' in B' of ||x - x'||",
     .watch = "`explain` names both for the bag that was classified last; `plot matrix` draws the distances.",
     .source = "Wang, Zucker, ICML 2000"},
    {.name = "Gaussian mixture",
     .also = "|mixture model|posterior|posteriors|component|",
     .meaning = "A density that is a weighted sum of normal distributions, its components. EM fits it: the posterior "
                "probability of each component for each row, then the weights, means and variances with these as "
                "weights of the rows. The likelihood never falls, and its maximum is a local one.",
     .notation = "p(x) = sum_c w_c N(x; m_c, v_c)",
     .watch = "ppmm: the objective is minus the mean log-likelihood until the SVM is trained; a bag is the mean of its "
              "rows' posteriors.",
     .source = "Dempster, Laird, Rubin 1977"},
    {.name = "ambiguous labels",
     .also = "|ambiguous label|candidate labels|partial labels|candidates|",
     .meaning = "A row has several candidate classes, one of which is the true one. With classes=all the "
                "label of the row may be any of its candidates and nothing else. With one class learnt "
                "against the others (classes=two), the label is free if the row has candidates on both "
                "sides.",
     .notation = "y_n in C_n, the candidates of row n; softmax-sdp: if class c is not in C_n, the product of the "
                 "label vectors of row n and of class c is prescribed",
     .watch = "`task ambiguous classes=all candidates=2 ambiguous=0.5` gives half of the rows two candidates "
              "each, and the other rows their class."},
    {.name = "ambiguity degree",
     .also = "|degree of ambiguity|",
     .meaning = "The largest probability, over rows and wrong classes, with which a wrong class is among the "
                "candidates of a row. Below 1 enough rows decide between any two classes. At 1 some class is "
                "never seen without a certain other one, and nothing in the candidates says which of the two a "
                "row has; clpl and pl-svm then often predict the more frequent one.",
     .notation = "sup over x, y and k != y of P(k in S | x, y), S: the candidates of a row x of class y",
     .watch = "docs/candidates.md raises it from 0.54 to 1 on three blobs.",
     .source = "Cour, Sapp and Taskar, JMLR 12 (2011), Section 3"},
    {.group = "The soft-max loss",
     .name = "soft-max",
     .also = "|softmax|soft-max loss|softmax loss|logistic loss|multinomial logistic|",
     .meaning = "The loss of a classifier of P classes that gives each class a score and predicts the class with "
                "the largest: how far the score of the right class is below a smooth maximum of all scores. "
                "softmax-sdp and softmax-em choose labels and scores such that f is smallest: the mean loss, "
                "minus the entropy of the classes' proportions, plus a penalty on W. Without the entropy the "
                "same label for all rows would be best.",
     .notation = "loss = log sum_k exp(s_k) - s_y, s = W'x + b; f = mean loss - h(proportions) + lambda/(2P) "
                 "||W||^2",
     .watch = "If the labels are balanced and the classifier predicts them well, f (the `objective` of EM) is "
              "near -log P.",
     .source = JOULIN "Eq. 1"},
    {.name = "elliptope",
     .also = "|Z|equivalence matrix|",
     .meaning = "The set of symmetric matrices with 1 on the diagonal and without negative eigenvalues; it "
                "is convex. The matrix Z contains, for each pair of rows, the product of their label vectors, "
                "which have length 1, so Z is in the elliptope whatever the labels are. softmax-sdp looks for "
                "the best matrix in the elliptope instead of the best labels. With coding=indicator, as in the "
                "paper, the product is 1 for rows of the same class and 0 for others. With coding=simplex, the "
                "default, it is 1 and -1/(P - 1), for two classes -1: fewer matrices, but all labelings, so the "
                "bound is tighter.",
     .notation = "Z psd, diag(Z) = 1; coding=simplex: the paper's matrix is 11'/P + (1 - 1/P) Z",
     .watch = "`plot matrix`, `plot spectrum`: if only P - 1 eigenvalues are large (coding=indicator: P), the matrix is nearly that of a labeling.",
     .source = JOULIN "Section 3"},
    {.name = "Omega",
     .also = "|inner problem|",
     .meaning = "The dual variable of the soft-max problem: for each row a distribution over all rows, which can "
                "be read as the rows that it might be mistaken for. F(Z), the value of the relaxation at a "
                "matrix Z, is the maximum over these matrices of a function that is linear in Z, so F is convex. "
                "Any Omega gives a lower bound of F(Z), any classifier an upper one; `inner_gap` of softmax-sdp "
                "is the difference between the two that were found.",
     .notation = "Omega >= 0, Omega 1 = 1, Omega'pi = pi; Omega_nm ~ pi_m exp(x_n'U v_m - b_m), v_m: the label "
                 "vector of row m, (U, b): the classifier",
     .watch = "`inner_gap`; a `stepi` is one step on this problem.",
     .source = JOULIN "Eqs. 3 to 5"},
    {.name = "EM",
     .also = "|E-step|M-step|expectation maximisation|expectation-maximization|",
     .meaning = "Minimisation in turns: the best classifier for the labels (M-step), then the best labels for "
                "the classifier (E-step). The objective never rises. The result is a local optimum that depends "
                "on the first labels. softmax-em begins with random ones or those of k-means, softmax-sdp with "
                "those rounded from the relaxation.",
     .watch = "`em` counts its iterations in softmax-sdp; `compare` two runs with different seeds.",
     .source = JOULIN "Sections 1 and 4.3"},
    {.group = "Several classes, and scores",
     .name = "one-vs-rest",
     .also = "|one against the rest|one-against-rest|one-against-all|one-versus-rest|ovr|machine|binary "
             "classifier|",
     .meaning = "How an algorithm for two classes handles three or more: it trains one binary classifier for "
                "each class against all others, one after another. A row gets the class whose classifier "
                "has the largest output.",
     .notation = "y(x) = argmax_k f_k(x)",
     .watch = "`machine` is the number of the classifier whose metrics are shown; `finish` completes its "
              "training. A condition may stop the run inside one classifier; the model needs all of them, "
              "and `continue` trains the rest."},
    {.name = "best matching",
     .also = "|matching|Hungarian algorithm|accuracy under the best matching|assignment|",
     .meaning = "The numbers of clusters have no meaning. Before clusters are scored against classes, or "
                "compared with other clusters, each is matched to a different class such that as many rows "
                "as possible agree. If there are more clusters than classes, some clusters are matched to "
                "none, and their rows count as wrong.",
     .notation = "max over one-to-one s of sum_k count(cluster k, class s(k))",
     .watch = "With three or more clusters `eval` prints the class of each cluster in the row \"stands for\".",
     .source = "Kuhn 1955"},
    {.name = "NMI",
     .also = "|normalised mutual information|normalized mutual information|mutual information|",
     .meaning = "How much the cluster of a row says about its class, whichever number each cluster has: 1 "
                "if the clusters are the classes, 0 if the two are independent. Clusters that divide a "
                "class are penalised little.",
     .notation = "2 I(cluster; class) / (H(cluster) + H(class))",
     .watch = "`eval` of three or more clusters, `table score=nmi`."},
    {.name = "ARI",
     .also = "|adjusted Rand index|Rand index|",
     .meaning = "Over all pairs of rows: how often clusters and classes agree on whether the two rows "
                "belong together, corrected for the agreement that chance gives with groups of these "
                "sizes. 1 is the same partition, 0 is chance, and below 0 is worse than chance.",
     .notation = "(pairs together in both - expected) / (mean of pairs together in either - expected)",
     .watch = "`eval` of three or more clusters, `table score=ari`.",
     .source = "Hubert, Arabie 1985"},
    {.name = "accuracy",
     .also = "|confusion|balanced accuracy|confusion matrix|",
     .meaning = "The fraction of rows that are predicted right. Balanced accuracy is the mean of the fractions of the "
                "positive and of the negative rows: one half for a model that predicts one class only, however rare the "
                "other is. `confusion` counts right and wrong rows of each class.",
     .notation = "(TP + TN) / rows; balanced: (TP / (TP + FN) + TN / (TN + FP)) / 2; TP: positives predicted right",
     .watch = "`eval`. Compare it with the share of the larger class, and with what svm gets on the same labels, which "
              "eval prints."},
    {.name = "Bayes error",
     .also = "|Bayes boundary|Bayes classifier|best possible|",
     .meaning = "The error of the best possible classifier, which predicts the more probable class everywhere. Where the "
                "classes overlap no learner can have less. Its boundary is where both classes are equally probable. It is "
                "known only if the law is known by which the data were drawn.",
     .notation = "E[min(p, 1 - p)], p = P(+1 | x); of `generate formula` p = 1 / (1 + exp(-f(x) / noise)), the boundary "
                 "f = 0",
     .watch = "`generate formula`, then `info data`, `eval` and `plot boundary`. On a few rows a learner may err less than "
              "the Bayes classifier, by chance."},
    {.name = "F1",
     .also = "|precision|recall|",
     .meaning = "Precision is the fraction of the rows predicted positive that are positive, recall the fraction of the "
                "positive rows that are predicted positive, F1 their harmonic mean: near 1 only if both are.",
     .notation = "precision TP / (TP + FP), recall TP / (TP + FN), F1 2 TP / (2 TP + FP + FN)",
     .watch = "`eval`, `table score=f1`."},
    {.name = "AUC",
     .also = "|area under the curve|area under the ROC curve|",
     .meaning = "How well the outputs rank the rows, wherever they are cut: the probability that a positive row has a "
                "larger output than a negative one. One half is chance. A large AUC with a poor accuracy says that only "
                "the threshold is wrong.",
     .notation = "P(f(positive) > f(negative)) + P(equal) / 2",
     .watch = "`eval`, `table score=auc`."},
    {.name = "McNemar test",
     .also = "|McNemar|McNemar's test|more than chance|p|p-value|",
     .meaning = "Whether two classifiers that were scored on the same rows differ by more than chance. Rows that both get "
                "right or both get wrong say nothing about it; of the others, either classifier should be right on about "
                "half.",
     .notation = "p = 2 P(Binomial(a + b, 1/2) <= min(a, b)), a and b: rows that only one of the two gets right",
     .watch = "`eval` compares the run with svm on the same labels: `(svm C=1: 0.8100, p = 0.022)`."},
    {.name = "t-test",
     .also = "|corrected t-test|corrected resampled t-test|paired t-test|Nadeau and Bengio|",
     .meaning = "Whether the mean difference of two methods over the repetitions of an experiment is more than chance. "
                "The paired test takes the repetitions for independent. Random splits of one data set share rows, so they "
                "are not, and it finds too much. The corrected test (Nadeau and Bengio) enlarges the variance by the "
                "ratio of test to training rows.",
     .notation = "t = d / sqrt(s^2 / n), corrected: t = d / sqrt(s^2 (1/n + test / training)); n repetitions, d and s "
                 "the mean and deviation of the differences",
     .watch = "`table against=METHOD`: v and * mark differences that are significant; the line below the table names the "
              "test. `help table` has `test=`.",
     .source = "Nadeau and Bengio, Machine Learning 52 (2003)"},
    {.name = "macro-F1",
     .also = "|macro F1|",
     .meaning = "The mean over the classes of F1, each class against the rest. Rare classes count as much "
                "as frequent ones.",
     .notation = "1/P sum_k 2 TP_k / (2 TP_k + FP_k + FN_k)",
     .watch = "`eval` of several classes, `table score=macro_f1`."},
    {.name = "success rate",
     .also = "|ROI|region of interest|success|key instances|",
     .meaning = "How often the program finds a key instance (region of interest). In each bag that it "
                "predicts positive, it points at the instance with the largest output; the key instance is "
                "found if this instance is positive by its own label. `plot roi` and `plot bags` also "
                "count instances of bags that are predicted negative.",
     .notation = "found / relevant (positive) bags (Eq. 39), found / bags predicted relevant (Eq. 40), 2 found / "
                 "(relevant + predicted relevant)",
     .watch = "`eval bags` prints all three.",
     .source = PAPER "Section 5.2"},
    {.group = "Label proportions",
     .name = "label proportions",
     .also = "|LLP|learning with label proportions|proportion-SVM|proportion|proportions|",
     .meaning = "For each bag only the proportion of positive rows is given. A labeling is allowed if in each bag its proportion of positives differs from the given one by at most eps. If no whole number of rows is that close, the nearest number is allowed.",
     .notation = "|p_k(y) - p_k| <= eps in each bag k, or the nearest count",
     .watch = "`eval bags` says how far the predicted proportions are from the given ones."},
    {.name = "pSVM",
     .also = "|alter-psvm|conv-psvm|",
     .meaning = "The SVM for label proportions. It optimises the labels of the rows together with w and b, "
                "and penalises a bag for the distance between its labels' proportion of positives and the "
                "given one. alter-psvm alternates between the best w and b for the labels and the best "
                "labels for w and b. conv-psvm makes the proportions a constraint and solves a convex "
                "relaxation.",
     .notation = "min over y, w, b of 1/2 ||w||^2 + C sum_i max(0, 1 - y_i f_i) + Cp sum_k L_p(p_k(y), p_k)",
     .watch = "alter-psvm: `C_now`, `bag_error`, `distinct`; no lower bound certifies it unless all labels are "
              "given. conv-psvm: `gap`, that of the relaxation.",
     .source = PSVM "Eqs. 4 and 9, Algorithms 1 and 2"},
    {.name = "C*",
     .also = "|C star|Cstar|annealing C|",
     .meaning = "The weight that alter-psvm gives the hinge losses at present, in place of C. It begins near 0 "
                "and grows by half whenever all restarts have converged, until it is C. While it is small the "
                "proportions alone decide, and there are few local optima to end in. Each C* has its own "
                "objective, which rises with C*.",
     .notation = "C* = min((1 + Delta) C*, C); first= sets where it begins, grow= sets Delta",
     .watch = "`C_now` shows it; `finish` makes all steps at one C*; `plot objective vs level` draws the "
              "objective at each.",
     .source = PSVM "Algorithm 1"},
    {.name = "alternation",
     .also = "|alternating|alternating optimisation|alternate optimization|block coordinate descent|MI-SVM|mi-SVM|IterSVR|",
     .meaning = "To minimise a function of a classifier and of labels by minimising it over the one and over the "
                "other in turn. It never rises, and each half is easy: an SVM for given labels, and for a given "
                "classifier the labels with the smallest loss, which are found by sorting its outputs. It ends at "
                "a labeling that is the best for its own classifier, a local minimum that depends on the start.",
     .notation = "w = argmin P(w, y); y = argmin over B of P(w, y), which is argmax over B of f'y",
     .watch = "`objective` falls in every step; a large `spread` of the restarts says that the starts matter. "
              "`compare` with a run of wellsvm or bb says how far the result is from the optimum at most.",
     .source = "Andrews, Tsochantaridis, Hofmann 2002 (MI-SVM, mi-SVM); Zhang, Tsang, Kwok 2007 (IterSVR)"},
    {.name = "kernel alignment",
     .also = "|alignment|y'Ky|",
     .meaning = "How well a labeling fits a kernel: large if rows with the same label are similar. Of some random "
                "labelings the one with the largest alignment is a start that costs no training.",
     .notation = "y'Ky / (N ||K||_F); for labelings of equal length y'Ky gives the same order",
     .watch = "start=alignment in alternate, itersvr and kmeans takes the best of tries= labelings; wellsvm begins so "
              "on clusters. ppmm chooses the power of its kernel by the alignment with the bags' labels.",
     .source = "Cristianini, Shawe-Taylor, Elisseeff, Kandola 2002"},
    {.name = "restart",
     .also = "|restarts|random restart|random start|distinct|",
     .meaning = "One of several runs of an algorithm that finds local optima only, each from its own first "
                "labels or centres. alter-psvm, alternate, itersvr, softmax-em and kmeans compute their restarts "
                "side by side and show the one with the smallest objective. In the first three, restarts that "
                "reach the same labels (alter-psvm: nearly the same) continue as one.",
     .watch = "`restart` is the number of the one that is shown. `distinct` (alter-psvm, alternate, itersvr) "
              "counts those that are left, `moving` (all but alter-psvm) those that have not converged. `spread` "
              "(alternate, itersvr) is the distance of their objectives. `plot mu` draws the objective "
              "of each. Flips are many when another restart is shown than before.",
     .source = PSVM "Section 4"},
    {.name = "bag error",
     .also = "|proportion error|",
     .meaning = "How far the predicted proportions of positives are from the given ones, summed over the "
                "bags. It needs no label of a row, so settings can be chosen by it (`tune`). 0 is no "
                "proof: a bag with the right number of positives, but the wrong rows, has error 0 too.",
     .notation = "sum_k |p_k - p^_k|, p^_k of the signs of f",
     .watch = "`bag_error` is that of the training bags; `eval bags` gives it for other bags too; view "
              "`proportions` draws it.",
     .source = PSVM "Eq. 23"},
    {.name = "InvCal",
     .also = "|inverse calibration|calibration|",
     .meaning = "Each bag is one point, the mean of its rows. The output at this point should be the one "
                "that a calibrated classifier has if positives are as frequent as given: support vector "
                "regression on means. If bags with different proportions have similar means, it cannot "
                "learn the difference.",
     .notation = "1/2 ||w||^2 + Cp sum_k max(0, |t_k - w'm_k - b| - eps_k), t_k = -log(1/p_k - 1)",
     .watch = "`gap` is certified. `generate llp-toy` makes bags whose means mislead it; `plot boundary` shows "
              "the result.",
     .source = PSVM "Eqs. 5 and 6; Rueping 2010"},
    {.name = "super-instance",
     .also = "|super instances|superinstance|superinstances|",
     .meaning = "A set of rows whose proportion of positives is given, treated as one point, the mean of the "
                "rows. Each bag is one, without its labelled rows, and each labelled row is one by itself.",
     .notation = "m_k = mean of phi(x_i) over the set, with p_k",
     .source = PSVM "Section 2; Rueping 2010"},
    {.name = "MeanMap",
     .also = "|mean map|",
     .meaning = "Assumes that the rows of a class have the same distribution in all bags. Then the means "
                "of the bags are mixtures of two class means, which least squares find; the exponential model depends on the labels only through these means. If a class consists of several "
                "groups that are not equally frequent in all bags, the result is wrong.",
     .notation = "m_k = p_k mu_+ + (1 - p_k) mu_-; min sum_i log 2 cosh f_i - n <theta, mu_XY> + lambda "
                 "||theta||^2, mu_XY = p mu_+ - (1 - p) mu_-",
     .watch = "`distance` of the two means, `condition` of the least squares.",
     .source = "Quadrianto, Smola, Caetano, Le 2009"},
    {.group = "Runs and sessions",
     .name = "phase",
     .also = "|phases|lambda' level|level|stage|",
     .meaning = "Steps that belong together; `finish` makes the steps to the end of the current phase. A phase "
                "is the steps at one temperature of mfa, at one weight lambda' of tsvm, at one level C* of "
                "alter-psvm, at one level of s3vm or entropy (from level 0, the labelled rows alone), or one of the two "
                "stages of softmax-sdp. What mfa does after its last temperature "
                "counts as further phases. With classes=all, an algorithm that learns two classes trains one "
                "binary classifier for each class, and each classifier is a phase. What else has phases, such as nnpu (levels) and amm (rounds), says so in its help; other runs have none."},
    {.name = "verdict",
     .also = "|more|converged|stalled|limit|convergence|",
     .meaning = "What the algorithm says after a step. more: the run continues. converged: its own criterion "
                "holds, which `help ALGORITHM` states. stalled: no progress is possible, although the criterion "
                "does not hold. limit: the run reached a limit such as labelings= or iterations=.",
     .notation = "WellSVM: violation + master gap + inner gap <= eps |objective|",
     .watch = "Converged by its own criterion is not proven (`explain proven`): that takes a small `gap`. With "
              "search=exact WellSVM's criterion implies one.",
     .source = PAPER "Algorithm 1, line 6"},
    {.name = "snapshot",
     .also = "|time travel|history|",
     .meaning = "A copy of the state of a run, kept after some of its steps. `back` and `goto` restore the "
                "nearest earlier snapshot and repeat the steps from there. The snapshot includes the "
                "random generator, so the same bits come out."},
    {.name = "digest",
     .also = "|hash|",
     .meaning = "What the session file records after a stepping command: iteration, verdict, objective "
                "with all digits, gap, flips, and hashes of labels and metrics. `replay --check` compares "
                "it."},
    {.name = "volatile",
     .also = "|volatile metric|seconds|",
     .meaning = "A metric that differs from one execution to the next, such as seconds. Digests leave "
                "it out. If a condition on it stops a run, the session file records the number of steps instead."},
    {.name = NULL},
};
/* clang-format on */

/* The character as it is compared: - and _ count as a blank, and upper case as lower case, except in a word of one
 * letter (`single`). */
static int fold_char(char c, bool single)
{
    if (c == '-' || c == '_')
        return ' ';
    return !single && c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

static bool same_term(const char *word, const char *name, size_t len)
{
    bool single = len == 1 && word[0] && !word[1];
    size_t i = 0;

    while (i < len && word[i] && fold_char(word[i], single) == fold_char(name[i], single))
        i++;
    return i == len && !word[i];
}

const wlab_term *wlab_term_find(const char *word)
{
    for (const wlab_term *t = wlab_glossary; t->name; t++) {
        size_t len = strlen(t->name);

        if (same_term(word, t->name, len))
            return t;
        for (const char *p = t->also; p && *p && p[1]; p += len + 1) {
            len = strcspn(p + 1, "|");
            if (same_term(word, p + 1, len))
                return t;
        }
    }
    return NULL;
}
