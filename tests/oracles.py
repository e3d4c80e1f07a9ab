#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of the program against those of other programs, on problems that are written down here once more:

    cvxopt   convex programs: quadratic (lapsvm, cccp, tsvm, cpmmc, mi-bag, mi-instance, sil, mi-kernel, upu, ppmm) and semidefinite (mmc-sdp, gmmc, bb)
    SciPy    generalised eigenvalues (ncut), BFGS (s3vm, entropy, upu), sequential quadratic programming (nnpu)
    NumPy    ranks of bags (citation-knn), EM of a mixture (ppmm)

    tests/oracles.py WEAKLAB FOLDER     prints one line per test; files go to FOLDER

Nothing here is taken from the program but its settings, labels, outputs and the numbers that are compared: kernels, graphs
and objectives are made anew from the data."""
import csv
import json
import subprocess
import sys

import numpy as np
from cvxopt import matrix, solvers
from scipy.linalg import eigh
from scipy.optimize import minimize
from scipy.spatial.distance import cdist

WEAKLAB, FOLDER = sys.argv[1:3]
solvers.options.update(show_progress=False, abstol=1e-9, reltol=1e-9, feastol=1e-9, maxiters=200)


# ---- problems and runs ----


def bags(count, seed, apart=1.0):
    """Bags of 3 to 6 rows, every second one with a positive row (`apart`: how far from the others), written to a file: rows, bags, signs of the bags."""
    draw = np.random.RandomState(seed)
    X, bag = [], []
    for b in range(count):
        for i in range(draw.randint(3, 7)):
            shift = apart * np.array([2.0, 1.0, 0]) if b % 2 == 0 and i == 0 else np.zeros(3)
            X.append(draw.normal(size=3) + shift)
            bag.append(b)
    X, bag, sign = np.array(X), np.array(bag), np.where(np.arange(count) % 2 == 0, 1, -1)
    with open(f"{FOLDER}/data.csv", "w", encoding="ascii") as f:
        f.write("x1,x2,x3,bag,class\n")
        for x, b in zip(X, bag):
            f.write(",".join(f"{v!r}" for v in x.tolist()) + f",b{b},{sign[b]:+d}\n")
    return X, bag, sign


def clouds(n, apart, seed):
    """Two overlapping clouds in three columns, written to a file: rows, classes."""
    draw = np.random.RandomState(seed)
    y = np.where(np.arange(n) % 2 == 0, 1, -1)
    X = draw.normal(size=(n, 3)) + apart * y[:, None] * np.array([1, 0.5, 0])
    with open(f"{FOLDER}/data.libsvm", "w", encoding="ascii") as f:
        for x, label in zip(X, y):
            f.write(f"{label:+d} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(x.tolist())) + "\n")
    return X, y


class Run:
    """A run to its end: its last metrics, and of each row the set, the label and the output."""

    def __init__(self, task, algo, data="data.libsvm"):
        commands = (
            f"load {FOLDER}/{data}; task {task}; algo {algo}; continue; "
            f"export labels {FOLDER}/labels.csv; export predictions {FOLDER}/predictions.csv"
            + (f"; export bags {FOLDER}/bags.csv" if task == "mil" else "")
        )
        done = subprocess.run(
            [WEAKLAB, "-b", "-n", "--json", "-e", commands], stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        if done.returncode:
            raise RuntimeError(done.stderr)
        steps = [o for o in map(json.loads, done.stdout.splitlines()) if o["type"] == "step"]
        self.verdict, self.at = steps[-1]["verdict"], steps[-1]["metrics"]
        self.steps = [o["metrics"] for o in steps]
        with open(f"{FOLDER}/labels.csv", encoding="ascii") as f:
            rows = list(csv.DictReader(f))
        self.known = np.array([r["set"] == "labeled" for r in rows])
        self.label = np.array([float(r["label"] or 0) for r in rows])
        with open(f"{FOLDER}/predictions.csv", encoding="ascii") as f:
            self.output = np.array([float(r.get("decision", "nan")) for r in csv.DictReader(f)])
        if task == "mil":
            with open(f"{FOLDER}/bags.csv", encoding="ascii") as f:
                rows = sorted(csv.DictReader(f), key=lambda r: int(r["bag"][1:]))
            self.whole = np.array([float(r["decision"]) for r in rows])
            self.key = np.array([int(r["key"]) - 1 for r in rows])


def close(name, ours, theirs, tolerance):
    difference = abs(ours - theirs) / max(1, abs(theirs))
    what = f"{name}: {ours:.10g}, {theirs:.10g}"
    print(f"ok {what}" if difference <= tolerance else f"not ok {what}: relative difference {difference:.2g}", flush=True)


def rbf(X, sigma):
    return np.exp(-cdist(X, X, "sqeuclidean") / (2 * sigma**2))


def factor(K):
    """Phi with K = Phi Phi'."""
    value, vector = np.linalg.eigh(K)
    keep = value > 1e-12 * value[-1]
    return vector[:, keep] * np.sqrt(value[keep])


def hinge_solution(P, Z, at, cost, q=None, equal=None, bounds=()):
    """min 1/2 w'Pw + q'w + sum_i cost_i max(0, at_i - Z_i w), with equal = (A, b): A w = b, and bounds (g, h): g'w <= h.
    Returns w and the minimum."""
    m, d = Z.shape
    G = [np.hstack([-Z, -np.eye(m)]), np.hstack([np.zeros((m, d)), -np.eye(m)])]
    h = [-at, np.zeros(m)]
    for g, most in bounds:
        G.append(np.concatenate([g, np.zeros(m)])[None, :])
        h.append(np.array([most]))
    big = np.zeros((d + m, d + m))
    big[:d, :d] = P
    linear = np.concatenate([np.zeros(d) if q is None else q, cost])
    args = [matrix(big), matrix(linear), matrix(np.vstack(G)), matrix(np.concatenate(h))]
    if equal is not None:
        A, b = equal
        args += [matrix(np.concatenate([A, np.zeros(m)])[None, :]), matrix(float(b))]
    found = solvers.qp(*args)
    return np.array(found["x"]).ravel()[:d], found["primal objective"]


def hinge_program(*args, **more):
    """The minimum alone."""
    return hinge_solution(*args, **more)[1]


# ---- quadratic programs ----


def test_lapsvm():
    X, y = clouds(40, 0.7, 1)
    gamma_A, gamma_I, n = 0.01, 4, len(y)
    run = Run("ssl labeled=8 seed=3", f"lapsvm kernel=rbf sigma=1.2 gamma_A={gamma_A} gamma_I={gamma_I} graph=knn:5 eps=1e-9")
    far = cdist(X, X)
    near = np.argsort(far + np.diag(np.full(n, np.inf)), axis=1)[:, :5]
    W = np.zeros((n, n))
    W[np.arange(n)[:, None], near] = 1
    W = np.maximum(W, W.T)
    L = np.diag(W.sum(1)) - W
    Phi = factor(rbf(X, 1.2))
    P = 2 * gamma_A * np.eye(Phi.shape[1] + 1)
    P[:-1, :-1] += 2 * gamma_I / n**2 * Phi.T @ L @ Phi
    l = np.flatnonzero(run.known)
    Z = y[l, None] * np.hstack([Phi[l], np.ones((len(l), 1))])
    close("lapsvm: the minimum", run.at["objective"], hinge_program(P, Z, np.ones(len(l)), np.full(len(l), 1 / len(l))), 1e-7)


def test_cccp():
    """At the end of a run no round gains: J equals the minimum of the majoriser that touches J there."""
    for s in (0, -0.3):
        X, y = clouds(40, 0.7, 2)
        C, ratio, b0 = 0.5, 0.4, 0.0
        run = Run("ssl labeled=6 seed=1 r=0.5", f"cccp kernel=rbf sigma=1.2 C={C} ratio={ratio} s={s} eps=1e-9")
        K, o, known = rbf(X, 1.2), run.output, run.known
        H = np.eye(len(y)) - np.outer(np.ones(len(y)), ~known / (~known).sum())
        Phi = factor(H @ K @ H.T)
        w = np.linalg.lstsq(Phi, o - b0, rcond=None)[0]
        hat = np.minimum(np.maximum(0, 1 - abs(o[~known])), 1 + s)
        J = w @ w / 2 + C * np.maximum(0, 1 - y[known] * o[known]).sum() + C * ratio * hat.sum()
        close(f"cccp s={s}: J of its outputs", run.at["objective"], J, 1e-7)
        # hat(o) = max(0, 1 - o) + max(0, 1 + o) - G(|o|), G(m) = 1 - s + max(0, s + m), whose tangent has the slope
        slope = np.where(abs(o[~known]) > -s, np.sign(o[~known]), 0)
        base = (1 - s + np.maximum(0, s + abs(o[~known])) - slope * o[~known]).sum()
        U = Phi[~known]
        Z = np.vstack([y[known, None] * Phi[known], U, -U])
        at = np.concatenate([1 - y[known] * b0, np.full(len(U), 1 - b0), np.full(len(U), 1 + b0)])
        cost = C * np.concatenate([np.ones(known.sum()), np.full(2 * len(U), ratio)])
        least = hinge_program(np.eye(Phi.shape[1]), Z, at, cost, q=-C * ratio * slope @ U)
        close(f"cccp s={s}: a round gains nothing", J, least - C * ratio * (base + slope.sum() * b0), 1e-7)


def test_svmlight():
    """The last objective is the minimum for the last labels, and no exchange of two labels within the margin is left."""
    X, y = clouds(60, 0.6, 3)
    lam, lam_u = 0.05, 2.0
    run = Run("ssl labeled=8 seed=2 r=0.5", f"tsvm schedule=svmlight loss=hinge kernel=rbf sigma=1.2 lambda={lam} lambda_u={lam_u} eps=1e-9")
    known = run.known
    Phi = factor(rbf(X, 1.2))
    label = np.where(known, y, run.label)
    cost = np.where(known, 1 / known.sum(), lam_u / (~known).sum())
    P = lam * np.eye(Phi.shape[1] + 1)
    P[-1, -1] = 0
    Z = label[:, None] * np.hstack([Phi, np.ones((len(y), 1))])
    close("tsvm schedule=svmlight: the SVM of its labels", run.at["objective"], hinge_program(P, Z, np.ones(len(y)), cost), 1e-6)
    plus, minus = run.output[~known & (label > 0)], run.output[~known & (label < 0)]
    left = sum(p < 1 and m > -1 and p < m for p in plus for m in minus)
    close("tsvm schedule=svmlight: pairs left to exchange", left, 0, 0)


def test_cpmmc():
    """The end is the minimum over w and b for the signs of its own outputs."""
    X, _ = clouds(50, 1.0, 4)
    C, ell, n = 20.0, 3.0, 50
    run = Run("cluster balance=0.1", f"cpmmc kernel=rbf sigma=1.2 C={C} ell={ell} eps=1e-7")
    Phi = factor(rbf(X, 1.2))
    sign = np.sign(run.output)
    Z = sign[:, None] * np.hstack([Phi, np.ones((n, 1))])
    P = np.eye(Phi.shape[1] + 1)
    P[-1, -1] = 0
    total = np.hstack([Phi, np.ones((n, 1))]).sum(0)
    least = hinge_program(P, Z, np.ones(n), np.full(n, C / n), bounds=[(total, ell), (-total, ell)])
    close("cpmmc: the minimum for its signs", run.at["target"], least, 1e-5)


def test_itersvr():
    """The regression on the last labels has the objective of the run, and its outputs give these labels again."""
    X, _ = clouds(50, 1.0, 9)
    C, n = 0.5, 50
    run = Run("cluster balance=0.1", f"itersvr kernel=rbf sigma=1.2 C={C}")
    Phi = np.hstack([factor(rbf(X, 1.2)), np.ones((n, 1))])
    P = np.eye(Phi.shape[1])
    P[-1, -1] = 0
    y = run.label
    # |y - o| = max(0, y - o) + max(0, o - y)
    least = hinge_program(P, np.vstack([Phi, -Phi]), np.concatenate([y, -y]), np.full(2 * n, C))
    close("itersvr: the regression on its labels", run.at["objective"], least, 1e-5)


def test_mi_bag():
    """MI-SVM in full: from the bags' means the same key instances, and the same objective."""
    X, bag, sign = bags(16, 3)
    C1, C2 = 2.0, 0.7
    run = Run("mil", f"mi-bag kernel=rbf sigma=1.2 loss=hinge C1={C1} C2={C2} bias=0.5", "data.csv")
    Phi = np.hstack([factor(rbf(X, 1.2)), np.full((len(X), 1), 0.5)])
    up, down = np.flatnonzero(sign > 0), Phi[sign[bag] < 0]
    rows = [np.flatnonzero(bag == b) for b in up]
    cost = np.concatenate([np.full(len(up), C1), np.full(len(down), C2)])
    now, keys = np.array([Phi[r].mean(0) for r in rows]), None
    for _ in range(50):
        w, least = hinge_solution(np.eye(Phi.shape[1]), np.vstack([now, -down]), np.ones(len(cost)), cost)
        best = [r[np.argmax(Phi[r] @ w)] for r in rows]
        if best == keys:
            break
        keys, now = best, Phi[best]
    ours = np.flatnonzero(run.label > 0).tolist()
    print("ok mi-bag: the same keys" if ours == sorted(keys) else f"not ok mi-bag: keys {ours}, {sorted(keys)}", flush=True)
    close("mi-bag: the minimum for them", run.at["objective"], least, 1e-6)


def shared_solution(keys, bags_down, C1, C2):
    """min 1/2 ||w||^2 + C1 sum over keys of max(0, 1 - w'z) + C2 sum over bags of max over their rows z of max(0, 1 + w'z)."""
    d, up, down = keys.shape[1], len(keys), len(bags_down)
    P = np.zeros((d + up + down,) * 2)
    P[:d, :d] = np.eye(d)
    rows = [np.concatenate([-z, -np.eye(up + down)[k]]) for k, z in enumerate(keys)]
    rows += [np.concatenate([z, -np.eye(up + down)[up + b]]) for b, Z in enumerate(bags_down) for z in Z]
    G = np.vstack([rows, np.hstack([np.zeros((up + down, d)), -np.eye(up + down)])])
    h = np.concatenate([-np.ones(len(rows)), np.zeros(up + down)])
    linear = np.concatenate([np.zeros(d), np.full(up, C1), np.full(down, C2)])
    found = solvers.qp(*map(matrix, (P, linear, G, h)))
    return np.array(found["x"]).ravel()[:d], found["primal objective"]


def test_mi_bag_shared():
    """MI-SVM with one slack per negative bag, in full: from the bags' means the same key instances and objective at each step."""
    for seed, C1, C2 in ((1, 2.0, 0.7), (8, 5.0, 5.0)):
        X, bag, sign = bags(16, seed, 0.6)
        run = Run("mil", f"mi-bag negatives=bag kernel=rbf sigma=1.2 C1={C1} C2={C2} bias=0.5", "data.csv")
        Phi = np.hstack([factor(rbf(X, 1.2)), np.full((len(X), 1), 0.5)])
        rows = [np.flatnonzero(bag == b) for b in np.flatnonzero(sign > 0)]
        down = [Phi[bag == b] for b in np.flatnonzero(sign < 0)]
        w, _ = shared_solution(np.array([Phi[r].mean(0) for r in rows]), down, C1, C2)
        keys = [r[np.argmax(Phi[r] @ w)] for r in rows]
        for t, step in enumerate(run.steps):
            w, least = shared_solution(Phi[keys], down, C1, C2)
            new = [r[np.argmax(Phi[r] @ w)] for r in rows]
            gained = C1 * (np.maximum(0, 1 - Phi[keys] @ w) - np.maximum(0, 1 - Phi[new] @ w)).sum()
            keys = new if gained > 1e-6 * least else keys  # a step takes other keys if they lower the objective
            close(f"mi-bag negatives=bag C2={C2}: step {t + 1}", step["objective"], least - gained, 1e-6)
        ours = np.flatnonzero(run.label > 0).tolist()
        print("ok mi-bag negatives=bag: the same keys" if ours == sorted(keys) else f"not ok mi-bag negatives=bag: keys {ours}, {sorted(keys)}", flush=True)


def test_mi_instance():
    """mi-SVM in full: from positive instances only in the positive bags the same labels, and the same objective."""
    X, bag, sign = bags(16, 5)
    C1, C2 = 1.5, 1.0
    run = Run("mil labels=instances", f"mi-instance kernel=rbf sigma=1.2 loss=hinge C1={C1} C2={C2} bias=0.5", "data.csv")
    Phi = np.hstack([factor(rbf(X, 1.2)), np.full((len(X), 1), 0.5)])
    y, cost = sign[bag].astype(float), np.where(sign[bag] > 0, C1, C2)
    for _ in range(50):
        w, least = hinge_solution(np.eye(Phi.shape[1]), y[:, None] * Phi, np.ones(len(y)), cost)
        o = Phi @ w
        new = np.where((sign[bag] > 0) & (o > 0), 1.0, -1.0)
        for b in np.flatnonzero(sign > 0):
            r = np.flatnonzero(bag == b)
            new[r[np.argmax(o[r])]] = 1
        if (new == y).all():
            break
        y = new
    wrong = int((run.label != y).sum())
    print("ok mi-instance: the same labels" if not wrong else f"not ok mi-instance: {wrong} labels differ", flush=True)
    close("mi-instance: the minimum for them", run.at["objective"], least, 1e-6)


def test_sil():
    X, bag, sign = bags(16, 7)
    C = 0.8
    run = Run("mil", f"sil kernel=rbf sigma=1.2 C={C}", "data.csv")
    Phi = np.hstack([factor(rbf(X, 1.2)), np.ones((len(X), 1))])
    P = np.eye(Phi.shape[1])
    P[-1, -1] = 0
    y = sign[bag]
    least = hinge_program(P, y[:, None] * Phi, np.ones(len(y)), np.full(len(y), C))
    close("sil: the SVM of the bags' labels", run.at["objective"], least, 1e-5)


# ---- semidefinite programs ----


def relaxation(K, C, B, nodes, most=None):
    """Xu and others' semidefinite program, a primal form: min over S, nu, delta, t of t/2 + C 1'delta, where
    [K o M, 1 + nu - delta; ., t] and S are psd, M = B S B', nu, delta >= 0, and M has diagonal 1.  B has the conditions
    M v = 0, because a program without interior has no solution by interior points.  nodes: rows of M whose diagonal is not
    that of another by B; most: 1'M1 <= most."""
    n, d = B.shape
    pairs = [(i, j) for i in range(d) for j in range(i + 1)]
    m = len(pairs) + 2 * n + 1
    nu, delta, t = len(pairs), len(pairs) + n, m - 1
    cost = np.zeros(m)
    cost[delta:t], cost[t] = C, 0.5
    big, small = np.zeros((n + 1, n + 1, m)), np.zeros((d, d, m))
    A, total = np.zeros((len(nodes), m)), np.zeros((1, m))
    for k, (i, j) in enumerate(pairs):
        M = np.outer(B[:, i], B[:, j]) + (np.outer(B[:, j], B[:, i]) if i != j else 0)
        big[:n, :n, k] = -K * M
        small[i, j, k] = small[j, i, k] = -1
        A[:, k] = np.diag(M)[nodes]
        total[0, k] = M.sum()
    for i in range(n):
        big[i, n, nu + i] = big[n, i, nu + i] = -1
        big[i, n, delta + i] = big[n, i, delta + i] = 1
    big[n, n, t] = -1
    one = np.zeros((n + 1, n + 1))
    one[n, :n] = one[:n, n] = 1
    G, h = np.zeros((2 * n, m)), np.zeros(2 * n)
    G[:, nu:t] = -np.eye(2 * n)
    if most is not None:
        G, h = np.vstack([G, total]), np.append(h, most)
    found = solvers.sdp(
        matrix(cost), matrix(G), matrix(h), [matrix(big.reshape(-1, m)), matrix(small.reshape(-1, m))],
        [matrix(one), matrix(np.zeros((d, d)))], A=matrix(A), b=matrix(np.ones(len(nodes)))
    )
    if found["status"] != "optimal":
        raise RuntimeError(f"cvxopt: {found['status']}, gap {found['gap']}")
    return found["primal objective"]


def test_mi_kernel():
    X, bag, sign = bags(16, 9)
    C = 5.0
    run = Run("mil", f"mi-kernel kernel=rbf sigma=1.2 C={C} eps=1e-9", "data.csv")
    K, A = rbf(X, 1.2), (bag[None, :] == np.arange(len(sign))[:, None]).astype(float)
    A /= A.sum(1)[:, None]
    Phi = factor(A @ K @ A.T)
    P = np.eye(Phi.shape[1] + 1)
    P[-1, -1] = 0
    Z = sign[:, None] * np.hstack([Phi, np.ones((len(sign), 1))])
    w, least = hinge_solution(P, Z, np.ones(len(sign)), np.full(len(sign), C))
    close("mi-kernel: the SVM on bags", run.at["objective"], least, 1e-6)
    away = abs(A @ run.output - sign * (Z @ w)).max()
    close("mi-kernel: the means of its outputs are the SVM's", away, 0, 1e-4)


def test_citation_knn():
    """The votes by ranks among the sorted distances, for several R and C; outputs of rows without their bags."""
    X, bag, sign = bags(18, 13)
    far, m = cdist(X, X), len(sign)
    D = np.array([[far[np.ix_(bag == a, bag == b)].min() for b in range(m)] for a in range(m)])
    np.fill_diagonal(D, np.inf)
    near = np.argsort(np.argsort(D, axis=1), axis=1)  # near[a, b]: how many bags are nearer to a than b is
    for R, C in (1, 0), (2, 4), (3, 3), (0, 5):
        run = Run("mil", f"citation-knn references={R} citers={C}", "data.csv")
        votes = (near < R) + 1.0 * (near.T < C)
        np.fill_diagonal(votes, 0)
        close(f"citation-knn R={R} C={C}: votes", abs(run.whole - votes @ sign).max(), 0, 1e-12)
        wrong = np.mean(np.where(votes @ sign > 0, 1, -1) != sign)
        close(f"citation-knn R={R} C={C}: leave-one-out error", run.at["objective"], wrong, 1e-9)
    others = bag[:, None] != bag[None, :]
    least = [np.where(others & (sign[bag] == y)[None, :], far, np.inf).min(1) for y in (-1, 1)]
    close("citation-knn: outputs of rows", abs(run.output - (least[0] - least[1])).max(), 0, 1e-6)


def test_ppmm():
    """EM from other starts, one of which ends at the same maximum; from it the power, the kernel and the SVM."""
    X, bag, sign = bags(16, 17, 3.0)
    C, k = 5.0, 2
    run = Run("mil", f"ppmm components={k} C={C} rise=1e-13 eps=1e-9 iterations=100000", "data.csv")
    trace = -run.steps[-2]["objective"]  # before the SVM
    S = (X - X.mean(0)) / X.std(0)
    best, R = -np.inf, None
    draw = np.random.RandomState(1)
    for _ in range(60):
        r = np.eye(k)[cdist(S, S[draw.choice(len(S), k, False)]).argmin(1)]
        value = -np.inf
        while True:
            w = r.sum(0)
            mean = r.T @ S / w[:, None]
            v = np.maximum(np.einsum("ic,icj->cj", r, (S[:, None] - mean) ** 2) / w[:, None], 1e-3)
            log = np.log(w / len(S)) - 0.5 * (np.log(2 * np.pi * v)[None] + (S[:, None] - mean) ** 2 / v).sum(2)
            top = log.max(1)
            all_of = top + np.log(np.exp(log - top[:, None]).sum(1))
            r = np.exp(log - all_of[:, None])
            if all_of.mean() - value < 1e-13:
                break
            value = all_of.mean()
        if abs(value - trace) < abs(best - trace):
            best, R = value, r
    close("ppmm: the mean log-likelihood is a maximum that EM finds from other starts", trace, best, 1e-7)
    pi = np.array([R[bag == b].mean(0) for b in range(len(sign))])
    y = sign - sign.mean()

    def aligned(p):
        F = pi**p - (pi**p).mean(0)
        K = F @ F.T
        return (y @ K @ y) / np.sqrt((K**2).sum()) / (y @ y)

    powers = 3 * np.arange(1, 101) / 100
    p = powers[np.argmax([aligned(q) for q in powers])]
    close("ppmm: the power", run.at["power"], p, 1e-9)
    close("ppmm: the alignment", run.at["alignment"], aligned(p), 1e-5)
    F = pi**p
    P = np.eye(k + 1)
    P[-1, -1] = 0
    Z = sign[:, None] * np.hstack([F, np.ones((len(sign), 1))])
    w, least = hinge_solution(P, Z, np.ones(len(sign)), np.full(len(sign), C))
    close("ppmm: the SVM on bags", run.at["objective"], least, 1e-5)
    close("ppmm: outputs of bags", abs(run.whole - sign * (Z @ w)).max(), 0, 1e-3)
    alone = np.hstack([R**p, np.ones((len(X), 1))]) @ w
    close("ppmm: outputs of rows", abs(run.output - alone).max(), 0, 1e-3)


def test_dd():
    """NLDD at the run's end, from its outputs, f = log 2 - d; SciPy's BFGS from there goes no further."""
    X, bag, sign = bags(14, 11)
    run = Run("mil", "dd restarts=4 eps=1e-8", "data.csv")
    S = (X - X.mean(0)) / X.std(0)
    # d is a quadratic function of the columns without products: its coefficients follow from the outputs
    d = np.log(2) - run.output
    a = np.linalg.lstsq(np.hstack([S**2, S, np.ones((len(S), 1))]), d, rcond=None)[0]
    k = S.shape[1]
    s, t = np.sqrt(np.maximum(a[:k], 0)), -a[k:2 * k] / (2 * np.where(a[:k] == 0, 1, a[:k]))

    def nldd(w):
        far = ((w[k:] * (S - w[:k])) ** 2).sum(1)
        none = np.log(-np.expm1(-far))
        total = 0.0
        for b, y in enumerate(sign):
            A = none[bag == b].sum()
            total -= np.log(-np.expm1(A)) if y > 0 else A
        return total

    w = np.concatenate([t, s])
    close("dd: NLDD of its outputs", run.at["objective"], nldd(w), 1e-6)
    close("dd: BFGS goes no further", nldd(w), minimize(nldd, w, method="BFGS", options={"gtol": 1e-7}).fun, 1e-5)


def test_em_dd():
    """At the end no round of EM-DD by SciPy lowers the objective of the nearest instances."""
    X, bag, sign = bags(14, 13)
    run = Run("mil", "em-dd restarts=4 eps=1e-8", "data.csv")
    S = (X - X.mean(0)) / X.std(0)
    d = np.log(2) - run.output
    near = np.array([np.flatnonzero(bag == b)[np.argmin(d[bag == b])] for b in range(len(sign))])
    value = np.where(sign > 0, d[near], -np.log(-np.expm1(-d[near]))).sum()
    close("em-dd: the objective of the nearest instances", run.at["objective"], value, 1e-6)
    keys = near[sign > 0]
    ours = np.flatnonzero(run.label > 0)
    print("ok em-dd: the nearest instances are its keys" if sorted(keys) == sorted(ours) else f"not ok em-dd: keys {ours}, {keys}", flush=True)


def test_mmc_sdp():
    n = 14
    X, y = clouds(n, 0.8, 5)
    K = rbf(X, 1.0)
    run = Run("ssl labeled=4 seed=1 r=0.5", "mmc-sdp kernel=rbf sigma=1 loss=hinge C=1 eps=1e-8")
    l, u = np.flatnonzero(run.known), np.flatnonzero(~run.known)
    # all labelled rows are one node, 0, with their signs; a row without a label is a node of its own
    R = np.zeros((n, len(u) + 1))
    R[l, 0] = y[l]
    R[u, 1 + np.arange(len(u))] = 1
    v = np.append(-run.label[u].sum(), np.ones(len(u)))  # the sum that the label set prescribes: (1'y - L)^2 = 0
    B = R @ np.linalg.svd(v[None, :])[2][1:].T
    theirs = relaxation(K, 1, B, np.append(l[0], u))
    close("mmc-sdp, few labels: upper", run.at["upper"], theirs, 1e-6)
    close("mmc-sdp, few labels: lower", run.at["lower"], theirs, 1e-6)
    run = Run("cluster balance=0.3", "mmc-sdp kernel=rbf sigma=1 loss=hinge C=1 eps=1e-8")
    most = 4  # |1'y| <= 0.3 n = 4.2, and even
    theirs = relaxation(K, 1, np.eye(n), np.arange(n), most**2)
    close("mmc-sdp, clusters: upper", run.at["upper"], theirs, 1e-6)
    close("mmc-sdp, clusters: lower", run.at["lower"], theirs, 1e-6)


def test_gmmc():
    """min 1/2 <H, X> over psd X with X_00 = 1, y_i X_0i >= 1 or X_ii >= 1, where 1/2 (1, x)'H(1, x) is the squared hinge's
    SVM objective of outputs x at the best offset, and Ce times the squared deviation of the sum of outputs."""
    n, Ce = 14, 0.8
    X, y = clouds(n, 0.8, 5)
    run = Run("ssl labeled=4 seed=1 r=0.5", f"gmmc kernel=rbf sigma=1 C1=1 C2=0.3 Ce={Ce} eps=1e-8")
    known = run.known
    C = np.where(known, 1, 0.3)
    A = np.linalg.inv(rbf(X, 1.0) + np.diag(1 / C))
    side = A.sum(0)
    H = np.zeros((n + 1, n + 1))
    H[1:, 1:] = A - np.outer(side, side) / side.sum()
    v = np.append(-run.label[~known].sum(), ~known)
    H += 2 * Ce * np.outer(v, v)
    pairs = [(i, j) for i in range(n + 1) for j in range(i + 1)]
    index = {p: k for k, p in enumerate(pairs)}
    m = len(pairs)
    cost = np.array([H[i, j] * (0.5 if i == j else 1) for i, j in pairs])
    psd, G, first = np.zeros((n + 1, n + 1, m)), np.zeros((n, m)), np.zeros((1, m))
    for k, (i, j) in enumerate(pairs):
        psd[i, j, k] = psd[j, i, k] = -1
    for i in range(n):
        G[i, index[(i + 1, 0) if known[i] else (i + 1, i + 1)]] = -y[i] if known[i] else -1
    first[0, index[0, 0]] = 1
    found = solvers.sdp(
        matrix(cost), matrix(G), matrix(-np.ones(n)), [matrix(psd.reshape(-1, m))], [matrix(np.zeros((n + 1, n + 1)))],
        A=matrix(first), b=matrix(1.0)
    )
    if found["status"] != "optimal":
        raise RuntimeError(f"cvxopt: {found['status']}, gap {found['gap']}")
    close("gmmc: upper", run.at["upper"], found["primal objective"], 1e-6)
    close("gmmc: lower", run.at["lower"], found["primal objective"], 1e-6)


# ---- candidate labels of several classes ----


def candidates(n, P, seed):
    """Rows of P overlapping classes and the candidates of each, written to files: rows, sets."""
    draw = np.random.RandomState(seed)
    y = np.arange(n) % P
    X = draw.normal(size=(n, 3)) + 1.5 * np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, -1, 0]])[y]
    S = np.zeros((n, P), bool)
    S[np.arange(n), y] = True
    for i in range(0, n, 2):
        S[i, draw.randint(P)] = True
    with open(f"{FOLDER}/data.libsvm", "w", encoding="ascii") as f:
        for x, label in zip(X, y):
            f.write(f"{label + 1} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(x.tolist())) + "\n")
    with open(f"{FOLDER}/sets", "w", encoding="ascii") as f:
        for s in S:
            f.write("+".join(str(k + 1) for k in np.flatnonzero(s)) + "\n")
    return np.hstack([X, np.ones((n, 1))]), S


def multiclass_hinge(Z, rest, own, lam):
    """min lam/2 ||W||^2 + mean of xi, xi_i >= 0 and >= 1 - f_own + f_k for each k in rest_i, by cvxopt."""
    n, d = Z.shape
    P = rest.shape[1]
    rows, at = [], []
    for i in range(n):
        for k in np.flatnonzero(rest[i]):
            v = np.zeros((P, d))
            v[k] += Z[i]
            v -= own[i][:, None] * Z[i]
            rows.append(np.concatenate([v.ravel(), -np.eye(n)[i]]))
            at.append(-1.0)
    G = np.vstack(rows + [np.hstack([np.zeros((n, P * d)), -np.eye(n)])])
    h = np.concatenate([at, np.zeros(n)])
    H = np.zeros((P * d + n, P * d + n))
    H[: P * d, : P * d] = lam * np.eye(P * d)
    q = np.concatenate([np.zeros(P * d), np.full(n, 1 / n)])
    found = solvers.qp(matrix(H), matrix(q), matrix(G), matrix(h))
    if found["status"] != "optimal":
        raise RuntimeError(f"cvxopt: {found['status']}, gap {found['gap']}")
    return found["primal objective"]


def over_outputs(C, label, cuts=()):
    """min 1/2 <C, X> over [1 x'; x X] psd, y_i x_i >= 1 or X_ii >= 1, and s (x_i - a)(x_j - b) >= 0 with X_ij for x_i x_j for
    the cuts (s, i, a, j, b)."""
    n = len(C)
    pairs = [(i, j) for i in range(n + 1) for j in range(i + 1)]
    index = {p: k for k, p in enumerate(pairs)}
    m = len(pairs)
    cost, psd, G, h = np.zeros(m), np.zeros((n + 1, n + 1, m)), [], []
    for k, (i, j) in enumerate(pairs):
        psd[i, j, k] = psd[j, i, k] = -1
        if j > 0:
            cost[k] = C[i - 1, j - 1] * (0.5 if i == j else 1)
    for i in range(n):
        row = np.zeros(m)
        row[index[(i + 1, 0) if label[i] else (i + 1, i + 1)]] = -label[i] if label[i] else -1
        G.append(row)
        h.append(-1)
    for s, i, a, j, b in cuts:
        row = np.zeros(m)
        row[index[max(i, j) + 1, min(i, j) + 1]] -= s
        row[index[i + 1, 0]] += s * b
        row[index[j + 1, 0]] += s * a
        G.append(row)
        h.append(s * a * b)
    first = np.zeros((1, m))
    first[0, index[0, 0]] = 1
    found = solvers.sdp(
        matrix(cost), matrix(np.array(G)), matrix(np.array(h, float)), [matrix(psd.reshape(-1, m))],
        [matrix(np.zeros((n + 1, n + 1)))], A=matrix(first), b=matrix(1.0)
    )
    if found["status"] != "optimal":
        raise RuntimeError(f"cvxopt: {found['status']}, gap {found['gap']}")
    return found["primal objective"]


def test_clpl():
    Z, S = candidates(60, 4, 11)
    lam, P = 0.02, 4
    run = Run(f"ambiguous from={FOLDER}/sets classes=all", f"clpl kernel=linear lambda={lam} eps=1e-10")

    def J(w):
        f = Z @ w.reshape(P, -1).T
        inside = np.maximum(0, 1 - (f * S).sum(1) / S.sum(1)) ** 2
        outside = (np.maximum(0, 1 + f) ** 2 * ~S).sum(1)
        return lam / 2 * w @ w + (inside + outside).mean()

    best = minimize(J, np.zeros(P * Z.shape[1]), method="BFGS", options={"gtol": 1e-9}).fun
    close("clpl: the minimum by BFGS", run.at["objective"], best, 1e-8)
    close("clpl: the bound", run.at["lower"], best, 1e-8)


def test_pl_svm():
    Z, S = candidates(60, 4, 12)
    lam = 0.02
    task = f"ambiguous from={FOLDER}/sets classes=all"
    first = Run(task, f"pl-svm kernel=linear lambda={lam} eps=1e-8 iterations=1")
    mean = multiclass_hinge(Z, ~S, S / S.sum(1, keepdims=True), lam)
    close("pl-svm: the first round, with means", first.at["convex"], mean, 1e-7)
    run = Run(task, f"pl-svm kernel=linear lambda={lam} eps=1e-8")
    chosen = np.eye(4)[np.array(run.label, int) - 1]
    close("pl-svm: the problem of its last choices", run.at["objective"], multiclass_hinge(Z, ~S, chosen, lam), 1e-7)
    one = S & (S.sum(1, keepdims=True) == 1)
    rows = one.any(1)
    with open(f"{FOLDER}/sets", "w", encoding="ascii") as f:
        f.write("".join(f"{np.flatnonzero(s)[0] + 1}\n" if s.any() else "?\n" for s in one))
    alone = Run(task, f"pl-svm kernel=linear lambda={lam} eps=1e-8")
    best = multiclass_hinge(Z[rows], ~one[rows], one[rows].astype(float), lam)
    close("pl-svm: one candidate per row, or any", alone.at["objective"], best, 1e-7)
    close("pl-svm: its bound", alone.at["lower"], best, 1e-7)


def all_cuts(lo, hi):
    n = len(lo)
    for i in range(n):
        yield -1, i, lo[i], i, hi[i]
        for j in range(i):
            yield 1, i, lo[i], j, lo[j]
            yield 1, i, hi[i], j, hi[j]
            yield -1, i, lo[i], j, hi[j]
            yield -1, i, hi[i], j, lo[j]


def outputs_of(K, sign):
    """The squared hinge's SVM of signs: objective and outputs with slack, min 1/2 x'K^-1 x with sign_i x_i >= 1."""
    Q = K * np.outer(sign, sign)
    n = len(K)
    a = np.array(solvers.qp(matrix(Q), matrix(-np.ones(n)), matrix(-np.eye(n)), matrix(np.zeros(n)))["x"]).ravel()
    return a.sum() - a @ Q @ a / 2, K @ (sign * a)


def test_bb_sdp():
    """The program of the root: without cuts; with all cuts on the first box, at least; on the smallest box, at most."""
    n = 10
    X, y = clouds(n, 0.2, 4)
    K = X @ X.T + np.eye(n) / 2
    C = np.linalg.inv(K)
    run = Run("ambiguous ambiguous=0.7 seed=1", "bb kernel=linear loss=squared-hinge C=2 bound=sdp")
    label = np.where(run.known, y, 0)
    close("bb, the program without cuts", run.at["sdp_base"], over_outputs(C, label), 1e-6)
    level = run.at["objective"]
    known, free = np.flatnonzero(label), np.flatnonzero(label == 0)
    # the box of the known labels: the distance of x to c in the norm of C is at most sqrt(2 (level - value))
    value, x = outputs_of(K[np.ix_(known, known)], label[known].astype(float))
    c = K[:, known] @ np.linalg.solve(K[np.ix_(known, known)], x)
    wide = np.sqrt(2 * (level - value) * np.diag(K))
    lo, hi = c - wide, c + wide
    lo, hi = np.where(label > 0, np.maximum(lo, 1), lo), np.where(label < 0, np.minimum(hi, -1), hi)
    least, small, large = np.inf, np.full(n, np.inf), np.full(n, -np.inf)
    for bits in range(2 ** len(free)):
        sign = label.astype(float)
        sign[free] = [1 if bits >> k & 1 else -1 for k in range(len(free))]
        value, x = outputs_of(K, sign)
        least = min(least, value)
        if value <= level * (1 + 1e-7):
            small, large = np.minimum(small, x), np.maximum(large, x)
    close("bb: the optimum of all labelings", level, least, 1e-6)
    first, last = over_outputs(C, label, all_cuts(lo, hi)), over_outputs(C, label, all_cuts(small - 1e-4, large + 1e-4))
    inside = first - 5e-3 * level <= run.at["sdp_root"] <= last * (1 + 1e-6) and run.at["sdp_root"] > run.at["sdp_base"]
    print(
        ("ok" if inside else "not ok")
        + f" bb, the program with cuts: {run.at['sdp_root']:.10g}, between {first:.10g} (first box) and {last:.10g} (smallest box)",
        flush=True,
    )


# ---- eigenvalues, descent ----


def test_ncut():
    X, _ = clouds(80, 0.9, 6)
    run = Run("cluster balance=0.2", "ncut sigma=0.8 eps=1e-10")
    W = rbf(X, 0.8)
    D = W.sum(1)
    value = eigh(np.diag(D) - W, np.diag(D), eigvals_only=True)
    close("ncut: the second eigenvalue", run.at["ritz"], value[1], 1e-9)
    one = run.label > 0
    cut = W[one][:, ~one].sum()
    close("ncut: the cut of its labels", run.at["objective"], cut / D[one].sum() + cut / D[~one].sum(), 1e-9)


def test_s3vm():
    X, y = clouds(60, 0.8, 7)
    C, ratio, b0 = 0.7, 0.5, 0.0
    for method in ("gradient", "newton", "continuation"):
        run = Run("ssl labeled=8 seed=2 r=0.5", f"s3vm method={method} kernel=linear C={C} ratio={ratio}")
        known = run.known
        Z = X - X[~known].mean(0)
        w = np.linalg.lstsq(Z, run.output - b0, rcond=None)[0]

        def J(w):
            o = Z @ w + b0
            loss = C * np.maximum(0, 1 - y[known] * o[known]) ** 2
            return w @ w / 2 + loss.sum() + C * ratio * np.exp(-3 * o[~known] ** 2).sum()

        close(f"s3vm method={method}: J of its outputs", run.at["J"], J(w), 1e-9)
        close(f"s3vm method={method}: BFGS goes no further", J(w), minimize(J, w, method="BFGS", options={"gtol": 1e-9}).fun, 1e-7)


def test_entropy():
    X, y = clouds(60, 0.8, 8)
    lam, lam_e = 0.01, 0.3
    run = Run("ssl labeled=10 seed=2", f"entropy kernel=linear lambda={lam} lambda_e={lam_e}")
    known = run.known
    Z = np.hstack([X, np.ones((len(y), 1))])
    w = np.linalg.lstsq(Z, run.output, rcond=None)[0]

    def J(w):
        o = Z @ w
        uncertain = np.logaddexp(0, o[~known]) - o[~known] / (1 + np.exp(-o[~known]))
        return lam / 2 * w @ w + np.logaddexp(0, -y[known] * o[known]).mean() + lam_e * uncertain.mean()

    close("entropy: J of its outputs", run.at["J"], J(w), 1e-9)
    close("entropy: BFGS goes no further", J(w), minimize(J, w, method="BFGS", options={"gtol": 1e-9}).fun, 1e-7)


def pu_parts(o, known, pi):
    """R+ and R- of outputs o with the logistic loss."""
    positive = pi * np.logaddexp(0, -o[known]).mean()
    return positive, np.logaddexp(0, o[~known]).mean() - pi * np.logaddexp(0, o[known]).mean()


def test_upu():
    """The dual: max over beta, |beta| <= h = 1/(2 n_u) on U and 0 on P, of
    sum over U of (2 h - |beta|) - (beta - t)'K(beta - t) / (2 lambda) - 1/2, with one more variable per row for |beta|."""
    X, y = clouds(60, 0.8, 9)
    pi, lam = 0.4, 0.02
    run = Run(f"pu labeled=12 seed=2 prior={pi}", f"upu kernel=rbf sigma=1.5 bias=1 lambda={lam} threshold=zero eps=1e-9")
    known = run.known
    n, u = len(y), int((~known).sum())
    K, h = rbf(X, 1.5) + 1, 0.5 / u
    t = np.where(known, -pi / known.sum(), h)
    P = np.zeros((2 * n, 2 * n))
    P[:n, :n] = K / lam
    q = np.concatenate([-K @ t / lam, np.where(known, 0, 1.0)])
    eye, top = np.eye(n), np.where(known, 0, h)
    G = np.vstack([np.hstack([eye, -eye]), np.hstack([-eye, -eye]), np.hstack([eye, 0 * eye]), np.hstack([-eye, 0 * eye])])
    g = np.concatenate([np.zeros(2 * n), top, top])
    done = solvers.qp(matrix(P + 1e-12 * np.eye(2 * n)), matrix(q), matrix(G), matrix(g))
    dual = 2 * h * u - done["primal objective"] - t @ K @ t / (2 * lam) - 0.5
    close("upu: the minimum", run.at["objective"], dual, 1e-6)
    o = run.output
    loss = np.maximum(o, np.maximum(0, (1 + o) / 2))[~known].mean()
    risk = loss - pi * o[known].mean()
    close("upu: the risk of its outputs", run.at["risk"], risk, 1e-9)


def test_nnpu():
    X, y = clouds(60, 0.8, 10)
    pi, lam = 0.8, 0.0005  # larger than the truth: R- would be below 0
    for loss, algo in (("upu", f"upu loss=logistic kernel=linear lambda={lam}"), ("nnpu", f"nnpu kernel=linear lambda={lam}")):
        run = Run(f"pu labeled=5 seed=3 prior={pi}", f"{algo} threshold=zero eps=1e-8")
        known = run.known
        Z = np.hstack([X, np.ones((len(y), 1))])

        def parts(w):
            positive, negative = pu_parts(Z @ w, known, pi)
            return lam / 2 * w @ w + positive, negative

        if loss == "upu":
            best = minimize(lambda w: sum(parts(w)), np.zeros(4), method="BFGS", options={"gtol": 1e-10}).fun
        else:  # the larger of two functions: the smallest t above both
            above = [
                {"type": "ineq", "fun": lambda v: v[4] - parts(v[:4])[0]},
                {"type": "ineq", "fun": lambda v: v[4] - sum(parts(v[:4]))},
            ]
            best = minimize(
                lambda v: v[4], np.append(np.zeros(4), 1), constraints=above, method="SLSQP", options={"ftol": 1e-12, "maxiter": 1000}
            ).fun
        close(f"{loss}: the minimum", run.at["upper"], best, 1e-6)


for test in (test_lapsvm, test_cccp, test_svmlight, test_cpmmc, test_itersvr, test_mi_bag, test_mi_bag_shared, test_mi_instance, test_sil, test_mi_kernel, test_citation_knn, test_ppmm, test_dd, test_em_dd, test_mmc_sdp, test_gmmc, test_bb_sdp, test_clpl, test_pl_svm, test_ncut, test_s3vm, test_entropy, test_upu, test_nnpu):
    try:
        test()
    except Exception as e:  # a test that cannot be made is a failure, and the others are run
        print(f"not ok {test.__name__}: {type(e).__name__}: {e}", flush=True)
