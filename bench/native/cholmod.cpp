// CHOLMOD on the matrices of bench/linalg.ts, one thread, driven line by line so that its runs can
// alternate with ours:
//
//   load FILE        lower triangle by columns: int32 n, entries; start[n+1], row[entries]; double value[…]
//   factor RUNS      → milliseconds of the fastest
//   solve RUNS RHS   → milliseconds of the fastest
//   quit
//
// `load` analyses with AMD and with METIS and keeps the order with fewer operations.
// → "CORE ORDERING analyseMs factorNonzeros flops", CORE being the kernels that OpenBLAS runs.
#include <cholmod.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

extern "C" void openblas_set_num_threads(int);
extern "C" char* openblas_get_corename();

namespace {

double milliseconds(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return 1e3 * t.tv_sec + 1e-6 * t.tv_nsec;
}

// The smaller of wall time and this thread's time, of the fastest run: others use the machine too.
template <class Work>
double fastest(int runs, Work work) {
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < runs; run++) {
    const double wall = milliseconds(CLOCK_MONOTONIC), cpu = milliseconds(CLOCK_THREAD_CPUTIME_ID);
    work();
    best = std::min({best, milliseconds(CLOCK_MONOTONIC) - wall,
                     milliseconds(CLOCK_THREAD_CPUTIME_ID) - cpu});
  }
  return best;
}

struct Matrix {
  std::vector<int> start, row;
  std::vector<double> value;
  cholmod_sparse view{};

  bool read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    int header[2];
    if (!file.read(reinterpret_cast<char*>(header), sizeof header)) return false;
    start.resize(header[0] + 1);
    row.resize(header[1]);
    value.resize(header[1]);
    file.read(reinterpret_cast<char*>(start.data()), 4 * start.size());
    file.read(reinterpret_cast<char*>(row.data()), 4 * row.size());
    file.read(reinterpret_cast<char*>(value.data()), 8 * value.size());
    view = cholmod_sparse{};
    view.nrow = view.ncol = header[0];
    view.nzmax = header[1];
    view.p = start.data();
    view.i = row.data();
    view.x = value.data();
    view.stype = -1;  // the lower triangle of a symmetric matrix
    view.itype = CHOLMOD_INT;
    view.xtype = CHOLMOD_REAL;
    view.dtype = CHOLMOD_DOUBLE;
    view.sorted = view.packed = 1;
    return bool(file);
  }
};

}  // namespace

int main() {
  openblas_set_num_threads(1);
  cholmod_common common;
  cholmod_start(&common);
  common.print = 0;
  common.supernodal = CHOLMOD_SUPERNODAL;
  common.nmethods = 1;

  Matrix A;
  cholmod_factor* factor = nullptr;
  cholmod_dense *x = nullptr, *y = nullptr, *e = nullptr;
  std::string command;
  while (std::cin >> command && command != "quit") {
    if (command == "load") {
      std::string path;
      std::cin >> path;
      if (!A.read(path)) {
        std::cerr << "cannot read " << path << "\n";
        return 1;
      }
      cholmod_free_factor(&factor, &common);
      double best = std::numeric_limits<double>::infinity();
      std::string answer;
      for (int ordering : {CHOLMOD_AMD, CHOLMOD_METIS}) {
        common.method[0].ordering = ordering;
        cholmod_factor* candidate = nullptr;
        const double analysis = fastest(1, [&] { candidate = cholmod_analyze(&A.view, &common); });
        const double nonzeros = common.lnz, flops = common.fl;
        cholmod_factorize(&A.view, candidate, &common);
        if (common.status != CHOLMOD_OK) {
          std::cerr << "CHOLMOD: status " << common.status << "\n";
          return 1;
        }
        if (flops < best) {
          best = flops;
          std::swap(factor, candidate);
          answer = (ordering == CHOLMOD_AMD ? "AMD " : "METIS ") + std::to_string(analysis) + " " +
                   std::to_string(nonzeros) + " " + std::to_string(flops);
        }
        cholmod_free_factor(&candidate, &common);
      }
      std::cout << openblas_get_corename() << " " << answer << std::endl;
    } else if (command == "factor") {
      int runs;
      std::cin >> runs;
      std::cout << fastest(runs, [&] { cholmod_factorize(&A.view, factor, &common); }) << std::endl;
    } else if (command == "solve") {
      int runs, rhs;
      std::cin >> runs >> rhs;
      cholmod_dense* b = cholmod_ones(A.view.nrow, rhs, CHOLMOD_REAL, &common);
      std::cout << fastest(runs, [&] {
        cholmod_solve2(CHOLMOD_A, factor, b, nullptr, &x, nullptr, &y, &e, &common);
      }) << std::endl;
      cholmod_free_dense(&b, &common);
    }
  }
  cholmod_free_dense(&x, &common);
  cholmod_free_dense(&y, &common);
  cholmod_free_dense(&e, &common);
  cholmod_free_factor(&factor, &common);
  cholmod_finish(&common);
}
