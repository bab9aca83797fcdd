#!/usr/bin/env python3
"""G7, more branches: g7_wrinkle.py searched uniform wrinkles and envelopes centred on the strip. Wrinkles that gather at one hinged end are
another branch of the same boundary value problem, and from some shortening on the lower one. Found at 5 % from an envelope at the end and
continued in the shortening. Same units: D = K = 1, lambda0 = 2 pi, P_c = 2."""
import json
import numpy as np
from scipy.integrate import solve_bvp
lam = 2 * np.pi; L = 5 * lam
F = lambda s, y, p: np.vstack([y[1], -np.cos(y[0]) * y[2] + np.sin(y[0]) * p[0], y[4], np.cos(y[0]), np.sin(y[0])])
def solve(eps, s, y, p):
    bc = lambda a, b, q: np.array([a[1], b[1], a[3], b[3] - L * (1 - eps), a[4], b[4]])
    so = solve_bvp(F, bc, s, y, p=[p], tol=1e-8, max_nodes=100000)
    return so if so.status == 0 else None
def start(eps, n, env):
    s = np.linspace(0, L, 60 * n + 1); q = n * np.pi / L; z = np.sin(q * s) * env(s); th = np.gradient(z, s)
    c = np.sqrt(eps * L / (.5 * (th[1:] ** 2 * np.diff(s)).sum())); z = z * c; th = np.arcsin(np.clip(th * c, -.95, .95))
    nz = np.cumsum(z) * (s[1] - s[0]); nz -= nz.mean()
    return s, np.vstack([th, np.gradient(th, s), nz, s * (1 - eps), z]), -(q * q + 1 / q / q)
def row(eps, so):
    s = np.linspace(0, L, 8001); y = so.sol(s); e = .5 * y[1] ** 2 + .5 * y[4] ** 2
    return dict(shortening_over_L=eps, E_over_PcDelta=float(((e[1:] + e[:-1]) * np.diff(s)).sum() / 2 / (2 * eps * L)), P_over_Pc=float(-so.p[0] / 2), zmax_over_lambda0=float(abs(y[4]).max() / lam))
table = []
for eps in (0.01, 0.02, 0.05, 0.1):
    table.append(dict(branch='uniform', **row(eps, solve(eps, *start(eps, 10, np.ones_like)))))
first = solve(0.05, *start(0.05, 9, lambda s: 1 / np.cosh(s / (.1 * L))))
for path in ((0.05, 0.055, 0.06, 0.065, 0.07, 0.075, 0.08, 0.085, 0.09, 0.095, 0.1), (0.05, 0.046, 0.042, 0.038, 0.034, 0.03, 0.027, 0.024, 0.022, 0.02, 0.018, 0.016, 0.014, 0.012, 0.01)):
    so = first
    for eps in path:
        nxt = solve(eps, so.x, so.y, so.p[0])
        if nxt is None: break
        so = nxt; r = row(eps, so)
        if r['zmax_over_lambda0'] < 1.15 * np.sqrt(eps) / np.pi: break   # it has joined the uniform branch
        if eps in (0.01, 0.02, 0.03, 0.05, 0.07, 0.1) and not any(t['branch'] == 'end' and t['shortening_over_L'] == eps for t in table): table.append(dict(branch='end', **r))
table.sort(key=lambda r: (r['shortening_over_L'], r['branch']))
json.dump(dict(L_over_lambda0=5, table=table), open('g7_wrinkle_branches.json', 'w'), indent=1)
for r in table: print(r)
