/* Losses of margins, and hard SVMs in one or two columns: refmc run --plain -- ./margins */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char p[1 << 20];
static double X[64][64], y[64][64];
static int length[64];

static int matrix(const char *name, double v[64][64]) { /* the number of rows; a list is one row */
    int rows = length[0] = 0, depth = 0;
    for (char *s = strstr(p, name); s && *s; s++) {
        if (*s == ']' && length[rows]) length[++rows] = 0;
        if (*s == ']' && --depth == 0) return rows;
        if (*s == '[') depth++;
        if (strchr("+-.0123456789", *s)) v[rows][length[rows]++] = strtod(s, &s), s--;
    }
    return 0;
}
static double loss(double z) {
    if (strstr(p, "loss.exponential")) return exp(-z);
    if (strstr(p, "loss.logistic")) return log1p(exp(-z));
    return fmax(0, strstr(p, "loss.perceptron") ? -z : 1 - z);
}
static void hard(int m, int d) { /* w joins two rows or stands upright on them: the best counts */
    double best = 0, w[2] = {0, 0}, b = 0;
    for (int i = 0; i < m; i++) for (int j = 0; j < m; j++) {
        int same = y[0][i] == y[0][j];
        double u = same ? X[j][1] - X[i][1] : X[i][0] - X[j][0], low = INFINITY;
        double v = same ? X[i][0] - X[j][0] : X[i][1] - X[j][1], high = -INFINITY;
        for (int r = 0; r < m; r++) {
            double score = u * X[r][0] + v * X[r][1];
            if (y[0][r] > 0) low = fmin(low, score); else high = fmax(high, score);
        }
        double wide = low - high, margin = wide / hypot(u, v);
        if (margin > best) best = margin, w[0] = 2 * u / wide, w[1] = 2 * v / wide, b = -(low + high) / wide;
    }
    if (isinf(best)) w[0] = w[1] = 0, b = y[0][0]; /* one class alone */
    if (best == 0) printf("{\"separable\": false}\n");
    else if (d == 1) printf("{\"w\": [%.17g], \"b\": %.17g}\n", w[0], b);
    else printf("{\"w\": [%.17g, %.17g], \"b\": %.17g}\n", w[0], w[1], b);
}
int main(void) {
    p[fread(p, 1, sizeof p - 1, stdin)] = 0;
    int m = matrix("\"z\":", X), n = length[0], known = !strstr(p, "loss.margin");
    if (m && known) for (int i = 0; i <= n; i++)
        i < n ? printf("%s%.17g", i ? ", " : "{\"values\": [", loss(X[0][i])) : puts("]}");
    else if (strstr(p, "svm.hard") && strstr(p, "\"bias\": true") && !strstr(p, "kernel") &&
             !strstr(p, "weights") && (m = matrix("\"X\":", X)) && length[0] < 3)
        n = length[0], matrix("\"y\":", y), hard(m, n);
    else puts("{\"skip\": \"not yet\"}");
    return 0;
}
