// The exact dual of a multi-class SVM by CGAL: iris_dual m k d q, then m rows of d whole numbers and
// a class, on standard input; C = 1/q. Prints the least processor seconds of three runs in the
// process, and the objective in units of C. Build: g++ -O3 -DNDEBUG iris_dual.cpp -lgmp -lmpfr
#include <CGAL/Gmpz.h>
#include <CGAL/QP_functions.h>
#include <CGAL/QP_models.h>

#include <ctime>
#include <iostream>
#include <vector>

int main(int, char** argument) {
  const int m = atoi(argument[1]), k = atoi(argument[2]), d = atoi(argument[3]);
  const long q = atol(argument[4]);
  std::vector<std::vector<long>> x(m, std::vector<long>(d));
  std::vector<int> y(m), row, other;
  for (int i = 0; i < m; i++) {
    for (long& a : x[i]) std::cin >> a;
    std::cin >> y[i];
    for (int z = 0; z < k; z++)
      if (z != y[i]) row.push_back(i), other.push_back(z);
  }
  // minimise ½ λᵀQλ − q Σ λ with λ ≥ 0 and Σ_z λ_iz ≤ 1
  CGAL::Quadratic_program<CGAL::Gmpz> program(CGAL::SMALLER, true, 0, false, 0);
  for (size_t s = 0; s < row.size(); s++) {
    program.set_c(s, -q);
    program.set_a(s, row[s], 1);
    program.set_b(row[s], 1);
    for (size_t t = 0; t <= s; t++) {
      const int i = row[s], j = row[t], z = other[s], u = other[t];
      long product = 0;
      for (int c = 0; c < d; c++) product += x[i][c] * x[j][c];
      product *= (y[i] == y[j]) - (y[i] == u) - (z == y[j]) + (z == u);
      if (product) program.set_d(s, t, product);
    }
  }
  double least = 1e9;
  for (int repeat = 0; repeat < 3; repeat++) {
    const clock_t begin = clock();
    const auto found = CGAL::solve_nonnegative_quadratic_program(program, CGAL::Gmpz());
    least = std::min(least, double(clock() - begin) / CLOCKS_PER_SEC);
    if (repeat == 2) std::cout << least << " " << found.objective_value() << std::endl;
  }
}
