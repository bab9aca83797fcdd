// The minimisation of one variational step in C++, on problems that bench/twin.ts dumps: what src/step/minimise.ts
// does with the averaged metric, quadratic-fit bending and the two-level preconditioner, operation for operation, as
// one would write it in C++ (one thread, CHOLMOD for the coarse matrix). Driven line by line:
//
//   load FILE      named arrays: "name type count\n", then the bytes; a line "end" closes it
//                  → points, coarse points
//   step RUNS      → milliseconds of the fastest, Newton iterations, CG iterations
//   write FILE     the positions that the last step ended with, as doubles
//   quit
#include <cholmod.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

extern "C" void openblas_set_num_threads(int);

namespace {

using Ints = std::vector<int32_t>;
using Reals = std::vector<double>;
using Four = float __attribute__((vector_size(16)));  // a point; the fourth number means nothing
using Bytes = std::vector<uint8_t>;

constexpr double SQRT2 = 1.4142135623730951;
constexpr int NEXT[3] = {1, 2, 0}, LAST[3] = {2, 0, 1};

double milliseconds(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return 1e3 * t.tv_sec + 1e-6 * t.tv_nsec;
}

struct File {
  std::map<std::string, Ints> ints;
  std::map<std::string, Reals> reals;
  std::map<std::string, Bytes> bytes;

  bool read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    for (std::string name, type; in >> name && name != "end";) {
      size_t count;
      in >> type >> count;
      in.get();  // the end of the line
      auto fill = [&](auto& array) {
        array.resize(count);
        in.read(reinterpret_cast<char*>(array.data()), count * sizeof(array[0]));
      };
      if (type == "i32") fill(ints[name]);
      else if (type == "f64") fill(reals[name]);
      else fill(bytes[name]);
    }
    return bool(in);
  }
};

// The coarse level: Z, the pattern of ZᵀHZ, its factor.
struct Level {
  int coarse = 0, blocks = 0;
  double share = 1;
  Ints zStart, zIndex, unionFirst, unionIndex, localFirst, localOf, start, index, column, edges, edgeAt;
  Reals zWeight, values, constant, Jc, rhs;

  // the scalar lower triangle for CHOLMOD, and where each of its entries comes from
  Ints scalarStart, scalarRow, from;
  Reals scalarValue;
  cholmod_sparse view{};
  cholmod_factor* factor = nullptr;
  cholmod_dense *x = nullptr, *y = nullptr, *e = nullptr;
  bool usable = false, fresh = false;
};

struct Problem {
  int n = 0, blocks = 0, triangles = 0;
  Ints start, index, diagonal;          // the pattern of A
  Reals base, A;
  Bytes fixed;
  Reals b, Y0;
  Ints gStart, gIndex, triStart, tri, local;  // the averaged metric
  Reals q, stiffness, lambda, g, J, sigma, stress, weight;
  Reals ee, dual, edgeStress;
  Ints at;
  double tolerance = 0, shorter = 0, limit = 0, moveTolerance = 0, cgTolerance = 0;
  int maxIterations = 0, cgMax = 0;
  bool twoLevel = true;
  Level level;
  Reals Y, gradient, quadratic, p, r, z, d, Ad, trial, diagonalBlocks;
  double energy = 0;  // of the rows at Y
  // what inner solves multiply with, in single precision: A, and rows scaled by the root of their weights
  std::vector<float> A4, S;
  std::vector<Four> x4, y4;
};

Problem P;
cholmod_common common;

// y = (A ⊗ I₃) x
void multiplyScalar3(double* y, const double* values, const double* x) {
  for (int i = 0; i < P.n; i++) {
    double a = 0, b = 0, c = 0;
    for (int p = P.start[i]; p < P.start[i + 1]; p++) {
      const double v = values[p];
      const double* at = x + 3 * P.index[p];
      a += v * at[0];
      b += v * at[1];
      c += v * at[2];
    }
    y[3 * i] = a;
    y[3 * i + 1] = b;
    y[3 * i + 2] = c;
  }
}

double dot(const Reals& x, const Reals& y) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  size_t i = 0;
  for (; i + 4 <= x.size(); i += 4) {
    s0 += x[i] * y[i];
    s1 += x[i + 1] * y[i + 1];
    s2 += x[i + 2] * y[i + 2];
    s3 += x[i + 3] * y[i + 3];
  }
  for (; i < x.size(); i++) s0 += x[i] * y[i];
  return (s0 + s1) + (s2 + s3);
}

void metric(const double* Y) {
  for (int b = 0; b < P.blocks; b++) {
    std::fill(&P.J[9 * P.gStart[b]], P.J.data() + 9 * P.gStart[b + 1], 0.0);
    double s0 = -SQRT2, s1 = 0, s2 = 0;
    for (int p = P.triStart[b]; p < P.triStart[b + 1]; p++)
      for (int k = 0; k < 3; k++) {
        const int ea = P.local[3 * p + NEXT[k]], eb = P.local[3 * p + LAST[k]];
        const double *a = Y + 3 * P.gIndex[ea], *c = Y + 3 * P.gIndex[eb];
        const double x = c[0] - a[0], y = c[1] - a[1], z = c[2] - a[2], l = x * x + y * y + z * z;
        const double* Q = &P.q[9 * p + 3 * k];
        s0 += Q[0] * l;
        s1 += Q[1] * l;
        s2 += Q[2] * l;
        double *C = &P.J[9 * eb], *A = &P.J[9 * ea];
        for (int row = 0; row < 3; row++) {
          const double q2 = 2 * Q[row];
          C[3 * row] += q2 * x;
          C[3 * row + 1] += q2 * y;
          C[3 * row + 2] += q2 * z;
          A[3 * row] -= q2 * x;
          A[3 * row + 1] -= q2 * y;
          A[3 * row + 2] -= q2 * z;
        }
      }
    P.g[3 * b] = s0;
    P.g[3 * b + 1] = s1;
    P.g[3 * b + 2] = s2;
  }
}

// |g+| of the symmetric matrix with components s; with -s0, |g-|
double stretch(double s0, double s1, double s2) {
  const double r = std::sqrt(s1 * s1 + s2 * s2);
  if (s0 <= -r) return 0;
  return s0 >= r ? std::sqrt(s0 * s0 + r * r) : (s0 + r) / SQRT2;
}

// a block that is stretched one way and pressed the other: rows of both eigenvalues and of the turn of their axes
void limitBoth(int b, double over, double under) {
  double* g = &P.g[3 * b];
  double *stress = &P.stress[3 * b], *sigma = &P.sigma[3 * b], *weight = &P.weight[3 * b];
  const double w = P.stiffness[3 * b], W = P.limit * w;
  const double rho = std::sqrt(g[1] * g[1] + g[2] * g[2]);
  const double x = g[1] / rho, y = g[2] / rho, h = 1 / SQRT2;
  const double first = h * (g[0] + rho), second = h * (g[0] - rho);
  const double sum = h * W * (over - under), difference = h * W * (over + under);
  stress[0] = w * g[0] + sum;
  stress[1] = w * g[1] + difference * x;
  stress[2] = w * g[2] + difference * y;
  for (int e = P.gStart[b]; e < P.gStart[b + 1]; e++)
    for (int c = 0; c < 3; c++) {
      double* J = &P.J[9 * e + c];
      const double j0 = J[0], along = x * J[3] + y * J[6];
      J[6] = x * J[6] - y * J[3];
      J[0] = h * (j0 + along);
      J[3] = h * (j0 - along);
    }
  g[0] = first;
  g[1] = second;
  g[2] = 0;
  sigma[0] = w * first + W * over;
  sigma[1] = w * second - W * under;
  sigma[2] = 0;
  weight[0] = over > 0 ? w + W : w;
  weight[1] = under > 0 ? w + W : w;
  weight[2] = w + W * (over + under) / (first - second);
}

// sigma, weight and stress of every block; rows of blocks beyond the limit are turned
void limitRows() {
  P.energy = 0;
  for (int b = 0; b < P.blocks; b++) {
    double* g = &P.g[3 * b];
    const double s = std::sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    const double w = P.stiffness[3 * b], W = P.limit * w;
    const double stretched = stretch(g[0], g[1], g[2]), pressed = stretch(-g[0], g[1], g[2]);
    double over = stretched - P.tolerance + (W > 0 ? P.lambda[b] / W : 0);
    const double under = pressed - P.shorter;
    P.energy += 0.5 * w * s * s;
    if (over > 0) P.energy += 0.5 * W * over * over;
    if (under > 0) P.energy += 0.5 * W * under * under;
    if (stretched > 0 && pressed > 0) {
      if (over > 0 || under > 0) {
        limitBoth(b, std::max(over, 0.0), std::max(under, 0.0));
        continue;
      }
    } else if (pressed > 0) {
      over = under;
    }
    const double extra = over > 0 && s > 0 ? W * over / s : 0;
    for (int c = 0; c < 3; c++) {
      P.stress[3 * b + c] = P.sigma[3 * b + c] = (w + extra) * g[c];
      P.weight[3 * b + c] = w + extra;
    }
    if (!(extra > 0)) continue;
    P.weight[3 * b] = w + W;
    const double sign = g[0] < 0 ? -1 : 1;
    const double v0 = g[0] / s + sign, v1 = g[1] / s, v2 = g[2] / s;
    const double f = 2 / (v0 * v0 + v1 * v1 + v2 * v2);
    for (int e = P.gStart[b]; e < P.gStart[b + 1]; e++)
      for (int c = 0; c < 3; c++) {
        double* J = &P.J[9 * e + c];
        const double d = f * (v0 * J[0] + v1 * J[3] + v2 * J[6]);
        J[0] -= d * v0;
        J[3] -= d * v1;
        J[6] -= d * v2;
      }
    g[0] = -sign * s;
    g[1] = g[2] = 0;
    P.sigma[3 * b] = -sign * (w + extra) * s;
    P.sigma[3 * b + 1] = P.sigma[3 * b + 2] = 0;
  }
}

double rowEnergy(const double* Y) {
  double E = 0;
  for (int b = 0; b < P.blocks; b++) {
    double s0 = -SQRT2, s1 = 0, s2 = 0;
    for (int p = P.triStart[b]; p < P.triStart[b + 1]; p++)
      for (int k = 0; k < 3; k++) {
        const double* a = Y + 3 * P.gIndex[P.local[3 * p + NEXT[k]]];
        const double* c = Y + 3 * P.gIndex[P.local[3 * p + LAST[k]]];
        const double x = c[0] - a[0], y = c[1] - a[1], z = c[2] - a[2], l = x * x + y * y + z * z;
        const double* Q = &P.q[9 * p + 3 * k];
        s0 += Q[0] * l;
        s1 += Q[1] * l;
        s2 += Q[2] * l;
      }
    const double w = P.stiffness[3 * b], W = P.limit * w;
    const double over = W > 0 ? stretch(s0, s1, s2) - P.tolerance + P.lambda[b] / W : 0;
    const double under = stretch(-s0, s1, s2) - P.shorter;
    E += 0.5 * w * (s0 * s0 + s1 * s1 + s2 * s2);
    if (over > 0) E += 0.5 * W * over * over;
    if (under > 0) E += 0.5 * W * under * under;
  }
  return E;
}

void computeGradient() {
  P.gradient = P.quadratic;
  metric(P.Y.data());
  limitRows();
  for (int b = 0; b < P.blocks; b++) {
    const double s0 = P.sigma[3 * b], s1 = P.sigma[3 * b + 1], s2 = P.sigma[3 * b + 2];
    for (int e = P.gStart[b]; e < P.gStart[b + 1]; e++) {
      const double* J = &P.J[9 * e];
      double* y = &P.gradient[3 * P.gIndex[e]];
      for (int c = 0; c < 3; c++) y[c] += J[c] * s0 + J[c + 3] * s1 + J[c + 6] * s2;
    }
  }
  for (size_t k = 0; k < P.gradient.size(); k++)
    if (P.fixed[k]) P.gradient[k] = 0;
}

// A += the geometric stiffness, clamped to positive semidefinite per triangle if asked
void addStress(bool clamp) {
  std::fill(P.edgeStress.begin(), P.edgeStress.end(), 0.0);
  for (int b = 0; b < P.blocks; b++) {
    const double* m = &P.stress[3 * b];
    for (int p = P.triStart[b]; p < P.triStart[b + 1]; p++)
      for (int k = 0; k < 3; k++) {
        const double* Q = &P.q[9 * p + 3 * k];
        P.edgeStress[3 * P.tri[p] + k] += m[0] * Q[0] + m[1] * Q[1] + m[2] * Q[2];
      }
  }
  for (int t = 0; t < P.triangles; t++) {
    const double *s = &P.edgeStress[3 * t], *ee = &P.ee[9 * t], *dual = &P.dual[9 * t];
    const int* at = &P.at[9 * t];
    double w[3];
    if (!clamp) {
      for (int k = 0; k < 3; k++) w[k] = 2 * s[k];
    } else {
      double a = s[0] * ee[0] + s[1] * ee[3] + s[2] * ee[6];
      double b = s[0] * ee[1] + s[1] * ee[4] + s[2] * ee[7];
      double d = s[0] * ee[2] + s[1] * ee[5] + s[2] * ee[8];
      const double mean = 0.5 * (a + d), half = 0.5 * (a - d), r = std::sqrt(half * half + b * b);
      if (mean + r <= 0) {
        a = b = d = 0;
      } else if (mean - r < 0) {
        const double f = (mean + r) / (2 * r), low = mean - r;
        a = f * (a - low);
        b = f * b;
        d = f * (d - low);
      }
      for (int k = 0; k < 3; k++) w[k] = 2 * (dual[3 * k] * a + dual[3 * k + 1] * b + dual[3 * k + 2] * d);
    }
    for (int k = 0; k < 3; k++) {
      P.A[at[NEXT[k]]] += w[k];
      P.A[at[LAST[k]]] += w[k];
      P.A[at[3 + k]] -= w[k];
      P.A[at[6 + k]] -= w[k];
    }
  }
}

bool held(int i) { return P.fixed[3 * i] & P.fixed[3 * i + 1] & P.fixed[3 * i + 2]; }

void updateDiagonal() {
  Reals& D = P.diagonalBlocks;
  for (int i = 0; i < P.n; i++) {
    const double a = P.A[P.diagonal[i]];
    double* at = &D[6 * i];
    at[0] = at[3] = at[5] = a;
    at[1] = at[2] = at[4] = 0;
  }
  for (int b = 0; b < P.blocks; b++)
    for (int e = P.gStart[b]; e < P.gStart[b + 1]; e++) {
      double* at = &D[6 * P.gIndex[e]];
      for (int r = 0; r < 3; r++) {
        const double v = P.weight[3 * b + r];
        const double* J = &P.J[9 * e + 3 * r];
        at[0] += v * J[0] * J[0];
        at[1] += v * J[0] * J[1];
        at[2] += v * J[0] * J[2];
        at[3] += v * J[1] * J[1];
        at[4] += v * J[1] * J[2];
        at[5] += v * J[2] * J[2];
      }
    }
  for (int i = 0; i < P.n; i++) {
    double* D6 = &D[6 * i];
    double a = D6[0], b = D6[1], c = D6[2], d = D6[3], e = D6[4], f = D6[5];
    const bool fx = P.fixed[3 * i], fy = P.fixed[3 * i + 1], fz = P.fixed[3 * i + 2];
    if (fx) a = 1, b = 0, c = 0;
    if (fy) d = 1, b = 0, e = 0;
    if (fz) f = 1, c = 0, e = 0;
    const double A = d * f - e * e, B = c * e - b * f, C = b * e - c * d, s = 1 / (a * A + b * B + c * C);
    D6[0] = fx ? 0 : A * s;
    D6[1] = fx || fy ? 0 : B * s;
    D6[2] = fx || fz ? 0 : C * s;
    D6[3] = fy ? 0 : (a * f - c * c) * s;
    D6[4] = fy || fz ? 0 : (b * c - a * e) * s;
    D6[5] = fz ? 0 : (a * d - b * b) * s;
  }
}

void assembleCoarse() {
  Level& L = P.level;
  std::fill(L.values.begin(), L.values.end(), 0.0);
  for (size_t p = 0; p < L.constant.size(); p++)
    L.values[9 * p] = L.values[9 * p + 4] = L.values[9 * p + 8] = L.constant[p];

  // Zᵀ(A − base)Z, a Laplacian on the edges
  int nodes[64];
  double weights[64];
  for (size_t e = 0; e < L.edgeAt.size(); e++) {
    const double s = P.base[L.edgeAt[e]] - P.A[L.edgeAt[e]];
    if (s == 0) continue;
    int count = 0;
    for (int side = 0; side < 2; side++) {
      const int i = L.edges[2 * e + side];
      if (held(i)) continue;
      for (int q = L.zStart[i]; q < L.zStart[i + 1]; q++) {
        int k = 0;
        while (k < count && nodes[k] != L.zIndex[q]) k++;
        if (k == count) nodes[count] = L.zIndex[q], weights[count++] = 0;
        weights[k] += side == 0 ? L.zWeight[q] : -L.zWeight[q];
      }
    }
    for (int a = 0; a < count; a++) {
      const int I = nodes[a];
      for (int p = L.start[I]; p < L.start[I + 1]; p++) L.column[L.index[p]] = p;
      for (int c = 0; c < count; c++) {
        if (nodes[c] < I) continue;
        double* v = &L.values[9 * L.column[nodes[c]]];
        const double add = s * weights[a] * weights[c];
        v[0] += add;
        v[4] += add;
        v[8] += add;
      }
    }
  }

  // Zᵀ(JᵀWJ)Z of the neighbourhoods
  for (int b = 0; b < L.blocks; b++) {
    const int first = L.unionFirst[b], count = L.unionFirst[b + 1] - first;
    std::fill(L.Jc.begin(), L.Jc.begin() + 9 * count, 0.0);
    for (int e = P.gStart[b]; e < P.gStart[b + 1]; e++) {
      const int i = P.gIndex[e];
      if (held(i)) continue;
      for (int q = L.zStart[i], p = L.localFirst[e]; q < L.zStart[i + 1]; q++, p++) {
        double* at = &L.Jc[9 * L.localOf[p]];
        for (int k = 0; k < 9; k++) at[k] += L.zWeight[q] * P.J[9 * e + k];
      }
    }
    const double w[3] = {P.weight[3 * b] / L.share, P.weight[3 * b + 1] / L.share, P.weight[3 * b + 2] / L.share};
    for (int a = 0; a < count; a++) {
      const int I = L.unionIndex[first + a];
      for (int p = L.start[I]; p < L.start[I + 1]; p++) L.column[L.index[p]] = p;
      const double* y = &L.Jc[9 * a];
      for (int c = 0; c < count; c++) {
        const int K = L.unionIndex[first + c];
        if (K < I) continue;
        double* v = &L.values[9 * L.column[K]];
        const double* x = &L.Jc[9 * c];
        for (int r = 0; r < 3; r++)
          for (int k = 0; k < 3; k++) {
            const double u = w[r] * x[3 * r + k];
            v[3 * k] += u * y[3 * r];
            v[3 * k + 1] += u * y[3 * r + 1];
            v[3 * k + 2] += u * y[3 * r + 2];
          }
      }
    }
  }
  for (int I = 0; I < L.coarse; I++) {
    double* v = &L.values[9 * L.start[I]];
    const double scale = v[0] + v[4] + v[8];
    for (int c = 0; c < 3; c++) v[4 * c] += scale > 0 ? 1e-9 * scale : 1;
  }
  for (size_t k = 0; k < L.from.size(); k++) L.scalarValue[k] = L.values[L.from[k]];
  cholmod_factorize(&L.view, L.factor, &common);
  L.usable = common.status == CHOLMOD_OK;
}

void updatePreconditioner() {
  updateDiagonal();
  if (!P.twoLevel || P.level.fresh) return;
  assembleCoarse();
  P.level.fresh = true;
}

void applyPreconditioner(Reals& z, const Reals& r) {
  for (int i = 0; i < P.n; i++) {
    const double* D = &P.diagonalBlocks[6 * i];
    const double x = r[3 * i], y = r[3 * i + 1], t = r[3 * i + 2];
    z[3 * i] = D[0] * x + D[1] * y + D[2] * t;
    z[3 * i + 1] = D[1] * x + D[3] * y + D[4] * t;
    z[3 * i + 2] = D[2] * x + D[4] * y + D[5] * t;
  }
  Level& L = P.level;
  if (!P.twoLevel || !L.usable) return;
  std::fill(L.rhs.begin(), L.rhs.end(), 0.0);
  for (int i = 0; i < L.blocks; i++)
    for (int q = L.zStart[i]; q < L.zStart[i + 1]; q++) {
      double* at = &L.rhs[3 * L.zIndex[q]];
      for (int c = 0; c < 3; c++) at[c] += L.zWeight[q] * r[3 * i + c];
    }
  cholmod_dense b{};
  b.nrow = b.nzmax = b.d = L.rhs.size();
  b.ncol = 1;
  b.x = L.rhs.data();
  b.xtype = CHOLMOD_REAL;
  b.dtype = CHOLMOD_DOUBLE;
  cholmod_solve2(CHOLMOD_A, L.factor, &b, nullptr, &L.x, nullptr, &L.y, &L.e, &common);
  const double* solved = static_cast<const double*>(L.x->x);
  for (int i = 0; i < L.blocks; i++) {
    double sum[3] = {0, 0, 0};
    for (int q = L.zStart[i]; q < L.zStart[i + 1]; q++)
      for (int c = 0; c < 3; c++) sum[c] += L.zWeight[q] * solved[3 * L.zIndex[q] + c];
    for (int c = 0; c < 3; c++)
      if (!P.fixed[3 * i + c]) z[3 * i + c] += sum[c];
  }
}

// The matrix of this iteration, rounded.
void toSingle() {
  for (size_t k = 0; k < P.A.size(); k++) P.A4[k] = float(P.A[k]);
  for (int b = 0; b < P.blocks; b++) {
    const double r[3] = {std::sqrt(P.weight[3 * b]), std::sqrt(P.weight[3 * b + 1]), std::sqrt(P.weight[3 * b + 2])};
    for (int e = P.gStart[b]; e < P.gStart[b + 1]; e++)
      for (int k = 0; k < 9; k++) P.S[9 * e + k] = float(P.J[9 * e + k] * r[k / 3]);
  }
}

// Four numbers from anywhere.
Four four(const float* from) {
  Four out;
  std::memcpy(&out, from, sizeof out);
  return out;
}

void hessianProduct(Reals& y, const Reals& x) {
  Four *to = P.y4.data(), *from = P.x4.data();
  for (int i = 0; i < P.n; i++) from[i] = Four{float(x[3 * i]), float(x[3 * i + 1]), float(x[3 * i + 2]), 0};
  for (int i = 0; i < P.n; i++) {
    Four sum = {0, 0, 0, 0}, odd = sum;
    int p = P.start[i];
    const int end = P.start[i + 1];
    for (; p + 1 < end; p += 2) {
      sum += P.A4[p] * from[P.index[p]];
      odd += P.A4[p + 1] * from[P.index[p + 1]];
    }
    if (p < end) sum += P.A4[p] * from[P.index[p]];
    to[i] = sum + odd;
  }
  for (int b = 0; b < P.blocks; b++) {
    const int first = P.gStart[b], end = P.gStart[b + 1];
    Four u = {0, 0, 0, 0}, v = u, w = u;
    for (int e = first; e < end; e++) {
      const float* S = &P.S[9 * e];
      const Four point = from[P.gIndex[e]];
      u += four(S) * point;
      v += four(S + 3) * point;
      w += four(S + 6) * point;
    }
    const float s0 = u[0] + u[1] + u[2], s1 = v[0] + v[1] + v[2], s2 = w[0] + w[1] + w[2];
    for (int e = first; e < end; e++) {
      const float* S = &P.S[9 * e];
      to[P.gIndex[e]] += four(S) * s0 + four(S + 3) * s1 + four(S + 6) * s2;
    }
  }
  for (int i = 0; i < P.n; i++)
    for (int c = 0; c < 3; c++) y[3 * i + c] = P.fixed[3 * i + c] ? 0 : to[i][c];
}

int conjugateGradients(double tolerance) {
  std::fill(P.p.begin(), P.p.end(), 0.0);
  for (size_t k = 0; k < P.r.size(); k++) P.r[k] = -P.gradient[k];
  applyPreconditioner(P.z, P.r);
  P.d = P.z;
  double rz = dot(P.r, P.z);
  const double enough = tolerance * tolerance * rz;
  if (!(rz > 0)) return 0;
  int iteration = 0;
  while (iteration < P.cgMax) {
    hessianProduct(P.Ad, P.d);
    const double dAd = dot(P.d, P.Ad);
    iteration++;
    if (!(dAd > 0)) {
      if (iteration == 1) P.p = P.d;
      break;
    }
    const double alpha = rz / dAd;
    for (size_t k = 0; k < P.p.size(); k++) P.p[k] += alpha * P.d[k], P.r[k] -= alpha * P.Ad[k];
    applyPreconditioner(P.z, P.r);
    const double next = dot(P.r, P.z);
    if (!(next > enough)) break;
    const double beta = next / rz;
    rz = next;
    for (size_t k = 0; k < P.d.size(); k++) P.d[k] = P.z[k] + beta * P.d[k];
  }
  return iteration;
}

struct Report {
  int iterations = 0, cgIterations = 0;
};

Report minimise() {
  constexpr int EXACT_FROM = 6, MAX_HALVINGS = 20;
  constexpr double ARMIJO = 1e-4;
  Report report;
  P.level.fresh = false;
  P.Y = P.Y0;
  multiplyScalar3(P.quadratic.data(), P.base.data(), P.Y.data());
  for (size_t k = 0; k < P.quadratic.size(); k++) P.quadratic[k] -= P.b[k];
  computeGradient();
  double cgTolerance = P.cgTolerance;
  for (int iteration = 0; iteration < P.maxIterations; iteration++) {
    P.A = P.base;
    addStress(iteration < EXACT_FROM);
    updatePreconditioner();
    toSingle();
    report.cgIterations += conjugateGradients(cgTolerance);

    double slope = 0, move = 0;
    for (size_t k = 0; k < P.p.size(); k++) {
      slope += P.gradient[k] * P.p[k];
      move = std::max(move, std::fabs(P.p[k]));
    }
    if (!(slope <= 0)) break;
    double slopeQuadratic = 0, curvature = 0;
    for (size_t k = 0; k < P.p.size(); k++) slopeQuadratic += P.quadratic[k] * P.p[k];
    multiplyScalar3(P.Ad.data(), P.base.data(), P.p.data());
    for (size_t k = 0; k < P.p.size(); k++) curvature += P.p[k] * P.Ad[k];
    const double energy = P.energy;
    double t = 1;
    bool accepted = false;
    for (int halving = 0; halving < MAX_HALVINGS && !accepted; halving++) {
      for (size_t k = 0; k < P.p.size(); k++) P.trial[k] = P.Y[k] + t * P.p[k];
      const double change = rowEnergy(P.trial.data()) - energy + t * slopeQuadratic + 0.5 * t * t * curvature;
      accepted = change <= ARMIJO * t * slope + 1e-14 * std::fabs(energy);
      if (!accepted) t *= 0.5;
    }
    report.iterations = iteration + 1;
    if (!accepted) {
      if (move <= 10 * P.moveTolerance || cgTolerance < 1e-4) break;
      cgTolerance *= 0.03;
      continue;
    }
    P.Y = P.trial;
    for (size_t k = 0; k < P.p.size(); k++) P.quadratic[k] += t * P.Ad[k];
    computeGradient();
    if (move <= P.moveTolerance) break;
    if (move < 30 * P.moveTolerance) cgTolerance = std::min(cgTolerance, 0.1);
  }
  return report;
}

// What holds for every step: unions of coarse points, the pattern of the coarse matrix, ZᵀbaseZ, the analysis.
void prepareLevel() {
  Level& L = P.level;
  std::vector<std::set<int>> near(L.coarse);
  Ints local(L.coarse, -1), seen(L.coarse, -1);
  L.unionFirst.assign(1, 0);
  L.localFirst.assign(1, 0);
  size_t widest = 0;
  for (int b = 0; b < L.blocks; b++) {
    const size_t first = L.unionIndex.size();
    for (int e = P.gStart[b]; e < P.gStart[b + 1]; e++) {
      const int i = P.gIndex[e];
      for (int q = L.zStart[i]; q < L.zStart[i + 1]; q++) {
        const int I = L.zIndex[q];
        if (local[I] < 0) local[I] = int(L.unionIndex.size() - first), L.unionIndex.push_back(I);
        L.localOf.push_back(local[I]);
      }
      L.localFirst.push_back(int(L.localOf.size()));
    }
    for (size_t p = first; p < L.unionIndex.size(); p++) {
      local[L.unionIndex[p]] = -1;
      for (size_t q = first; q < L.unionIndex.size(); q++) near[L.unionIndex[p]].insert(L.unionIndex[q]);
    }
    L.unionFirst.push_back(int(L.unionIndex.size()));
    widest = std::max(widest, L.unionIndex.size() - first);
  }
  for (int i = 0; i < L.blocks; i++)
    for (int p = P.start[i]; p < P.start[i + 1]; p++) {
      const int j = P.index[p];
      for (int q = L.zStart[j]; q < L.zStart[j + 1]; q++)
        for (int r = L.zStart[i]; r < L.zStart[i + 1]; r++) {
          near[L.zIndex[r]].insert(L.zIndex[q]);
          near[L.zIndex[q]].insert(L.zIndex[r]);
        }
    }
  L.start.assign(1, 0);
  for (int I = 0; I < L.coarse; I++) {
    near[I].insert(I);
    for (auto it = near[I].lower_bound(I); it != near[I].end(); ++it) L.index.push_back(*it);
    L.start.push_back(int(L.index.size()));
  }
  L.values.assign(9 * L.index.size(), 0);
  L.constant.assign(L.index.size(), 0);
  L.column.assign(L.coarse, 0);
  L.Jc.assign(9 * widest, 0);
  L.rhs.assign(3 * L.coarse, 0);

  // ZᵀbaseZ over the free points
  for (int i = 0; i < L.blocks; i++) {
    if (held(i)) continue;
    for (int r = L.zStart[i]; r < L.zStart[i + 1]; r++) {
      const int I = L.zIndex[r];
      for (int p = L.start[I]; p < L.start[I + 1]; p++) L.column[L.index[p]] = p;
      for (int p = P.start[i]; p < P.start[i + 1]; p++) {
        const int j = P.index[p];
        if (held(j)) continue;
        for (int q = L.zStart[j]; q < L.zStart[j + 1]; q++)
          if (L.zIndex[q] >= I) L.constant[L.column[L.zIndex[q]]] += L.zWeight[r] * L.zWeight[q] * P.base[p];
      }
    }
  }

  // the scalar lower triangle by columns
  L.scalarStart.assign(1, 0);
  for (int I = 0; I < L.coarse; I++)
    for (int c = 0; c < 3; c++) {
      for (int p = L.start[I]; p < L.start[I + 1]; p++)
        for (int a = L.index[p] == I ? c : 0; a < 3; a++) {
          L.scalarRow.push_back(3 * L.index[p] + a);
          L.from.push_back(9 * p + 3 * a + c);
        }
      L.scalarStart.push_back(int(L.scalarRow.size()));
    }
  L.scalarValue.assign(L.scalarRow.size(), 0);
  L.view.nrow = L.view.ncol = 3 * L.coarse;
  L.view.nzmax = L.scalarRow.size();
  L.view.p = L.scalarStart.data();
  L.view.i = L.scalarRow.data();
  L.view.x = L.scalarValue.data();
  L.view.stype = -1;
  L.view.itype = CHOLMOD_INT;
  L.view.xtype = CHOLMOD_REAL;
  L.view.dtype = CHOLMOD_DOUBLE;
  L.view.sorted = L.view.packed = 1;
  L.factor = cholmod_analyze(&L.view, &common);
}

bool load(const std::string& path) {
  File file;
  if (!file.read(path)) return false;
  cholmod_free_factor(&P.level.factor, &common);
  P = Problem{};
  P.start = file.ints["start"];
  P.index = file.ints["index"];
  P.n = int(P.start.size()) - 1;
  P.diagonal = file.ints["diagonal"];
  P.base = file.reals["base"];
  P.A.resize(P.base.size());
  P.fixed = file.bytes["fixed"];
  P.b = file.reals["b"];
  P.Y0 = file.reals["Y"];
  P.gStart = file.ints["groups.start"];
  P.gIndex = file.ints["groups.index"];
  P.triStart = file.ints["groups.triStart"];
  P.tri = file.ints["groups.tri"];
  P.local = file.ints["groups.local"];
  P.q = file.reals["groups.q"];
  P.stiffness = file.reals["groups.stiffness"];
  P.lambda = file.reals["lambda"];
  P.blocks = int(P.gStart.size()) - 1;
  P.ee = file.reals["ee"];
  P.dual = file.reals["dual"];
  P.at = file.ints["at"];
  P.triangles = int(P.at.size()) / 9;
  P.edgeStress.resize(3 * P.triangles);
  for (Reals* rows : {&P.g, &P.sigma, &P.stress, &P.weight}) rows->resize(3 * P.blocks);
  P.J.resize(9 * P.gIndex.size());
  const Reals& numbers = file.reals["numbers"];
  P.tolerance = numbers[0];
  P.limit = numbers[1];
  P.shorter = std::max(P.tolerance, 0.01);
  P.moveTolerance = numbers[2];
  P.cgTolerance = numbers[3];
  P.maxIterations = int(numbers[4]);
  P.cgMax = int(numbers[5]);
  P.twoLevel = numbers[6] != 0;
  for (Reals* v : {&P.gradient, &P.quadratic, &P.p, &P.r, &P.z, &P.d, &P.Ad, &P.trial}) v->resize(3 * P.n);
  P.diagonalBlocks.resize(6 * P.n);
  P.A4.resize(P.A.size());
  P.S.resize(P.J.size() + 4);  // a register is loaded beyond the last row
  P.x4.resize(P.n);
  P.y4.resize(P.n);
  Level& L = P.level;
  L.share = numbers[7];
  L.coarse = int(numbers[8]);
  L.zStart = file.ints["z.start"];
  L.zIndex = file.ints["z.index"];
  L.zWeight = file.reals["z.weight"];
  L.blocks = int(L.zStart.size()) - 1;
  L.edges = file.ints["edges"];
  L.edgeAt = file.ints["edgeAt"];
  prepareLevel();
  return true;
}

}  // namespace

int main() {
  openblas_set_num_threads(1);
  cholmod_start(&common);
  common.print = 0;
  std::string command, path;
  while (std::cin >> command && command != "quit") {
    if (command == "load") {
      std::cin >> path;
      if (!load(path)) {
        std::cerr << "cannot read " << path << "\n";
        return 1;
      }
      std::cout << P.n << " " << P.level.coarse << std::endl;
    } else if (command == "step") {
      int runs;
      std::cin >> runs;
      double best = std::numeric_limits<double>::infinity();
      Report report;
      for (int run = 0; run < runs; run++) {
        const double wall = milliseconds(CLOCK_MONOTONIC), cpu = milliseconds(CLOCK_THREAD_CPUTIME_ID);
        report = minimise();
        best = std::min({best, milliseconds(CLOCK_MONOTONIC) - wall, milliseconds(CLOCK_THREAD_CPUTIME_ID) - cpu});
      }
      std::cout << best << " " << report.iterations << " " << report.cgIterations << std::endl;
    } else if (command == "write") {
      std::cin >> path;
      std::ofstream out(path, std::ios::binary);
      out.write(reinterpret_cast<const char*>(P.Y.data()), 8 * P.Y.size());
      out.close();
      std::cout << "written" << std::endl;
    }
  }
  cholmod_free_factor(&P.level.factor, &common);
  cholmod_finish(&common);
}
