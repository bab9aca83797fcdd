#!/usr/bin/env python3
"""G7, how well heights are determined: the same plane curve on springs whose stiffness changes evenly along the strip, K(s) = 1 + g (s/L - 1/2).
Wrinkles share the shortening as they like for a hundredth of the energy, so that a little unevenness makes one end much higher than the other;
d(zmax)/dg per zmax is the table's amplification. Its inverse falls to 0 at some shortening: there even wrinkles branch into gathered ones, and
beyond it they are an equilibrium that is not stable. Same units as g7_wrinkle.py: D = K = 1, lambda0 = 2 pi, P_c = 2."""
import json
import numpy as np
from scipy.integrate import solve_bvp
lam = 2 * np.pi; L = 5 * lam
def solve(eps, g, s, y, p):
    F = lambda s, y, p: np.vstack([y[1], -np.cos(y[0]) * y[2] + np.sin(y[0]) * p[0], (1 + g * (s / L - .5)) * y[4], np.cos(y[0]), np.sin(y[0])])
    bc = lambda a, b, q: np.array([a[1], b[1], a[3], b[3] - L * (1 - eps), a[4], b[4]])
    so = solve_bvp(F, bc, s, y, p=[p], tol=1e-8, max_nodes=100000)
    if so.status: raise SystemExit('no solution at %g, %g' % (eps, g))
    return so
def start(eps, n=10):
    s = np.linspace(0, L, 60 * n + 1); q = n * np.pi / L; A = 2 * np.sqrt(eps) / q; z = A * np.sin(q * s); nz = np.cumsum(z) * (s[1] - s[0]); nz -= nz.mean(); th = np.arcsin(A * q * np.cos(q * s))
    return s, np.vstack([th, np.gradient(th, s), nz, s * (1 - eps), z]), -2.
zmax = lambda so: float(abs(so.sol(np.linspace(0, L, 8001))[4]).max())
table = []
for eps in (0.002, 0.005, 0.01, 0.015):
    so = solve(eps, 0, *start(eps)); z0 = zmax(so); r = dict(shortening_over_L=eps, zmax_over_lambda0=z0 / lam)
    for g in (0.0005, 0.005):
        so = solve(eps, g, so.x, so.y, so.p[0]); r['higher_at_%g' % g] = zmax(so) / z0 - 1
    r['amplification'] = r['higher_at_0.0005'] / 0.0005; table.append(r); print(r)
e, i = np.array([r['shortening_over_L'] for r in table]), np.array([1 / r['amplification'] for r in table])
c = np.polyfit(e, i, 1); critical = float(-c[1] / c[0]); print('even wrinkles are stable up to', critical)
json.dump(dict(L_over_lambda0=5, stable_up_to=critical, table=table), open('g7_wrinkle_sensitivity.json', 'w'), indent=1)
