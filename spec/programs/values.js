// Losses and decoding: refmc run --plain --persistent -- node values.js
const sum = (v) => v.reduce((a, b) => a + b, 0);
const largest = (v) => v.indexOf(Math.max(...v));

const margins = (loss) => (p) => ({ values: p.z.map((z) => loss(z, p.rho)) });
const hinge = (join) => (p) => ({ values: p.scores.map((row, i) => {
  const y = p.classes ? p.classes.indexOf(p.y[i]) : p.y[i];
  return join(row.map((v, j) => (j === y ? 0 : Math.max(0, (p.cost?.[j][y] ?? 1) + v - row[y]))));
}) });

const decided = (p, rows) => ({ labels: rows.map(largest).map((j) => p.classes?.[j] ?? j) });
const distances = {
  hamming: (z) => (1 - Math.sign(z)) / 2,
  hinge: (z) => Math.max(0, 1 - z),
  exponential: (z) => Math.exp(-z),
  logistic: (z) => Math.log1p(Math.exp(-z)),
};
const near = (p, bits, f) => -sum(bits.map((b, s) => distances[p.decoding](b * f[s])));
const won = (p, row) => { // of the pairs (0, 1), (0, 2), …: votes, half for each where they tie
  const k = (1 + Math.sqrt(1 + 8 * row.length)) / 2, points = Array(k).fill(0);
  let at = 0;
  for (let i = 0; i < k; i++) for (let j = i + 1; j < k; j++, at++) {
    const s = p.rule === "score_sum" ? row[at] : Math.sign(row[at]) / 2;
    points[i] += s;
    points[j] -= s;
  }
  return points;
};

const speaks = {
  "loss.hinge": [[], margins(distances.hinge)],
  "loss.perceptron": [[], margins((z) => Math.max(0, -z))],
  "loss.exponential": [[], margins(distances.exponential)],
  "loss.logistic": [[], margins(distances.logistic)],
  "loss.margin": [["rho"], margins((z, rho) => Math.min(1, Math.max(0, 1 - z / rho)))],
  "loss.multiclass_hinge": [["classes", "cost", "X"], hinge((v) => Math.max(...v))],
  "loss.multiclass_hinge_sum": [["classes", "cost", "X"], hinge(sum)],
  "code.decode": [["classes", "decoding"],
    (p) => decided(p, p.f.map((f) => p.code.map((bits) => near(p, bits, f))))],
  "ovo.decode": [["classes", "rule=score_sum"], (p) => decided(p, p.pairs.map((row) => won(p, row)))],
  "ova.decode": [["classes"], (p) => decided(p, p.scores)],
};
const supports = Object.fromEntries(Object.entries(speaks).map(([name, [known]]) => [name, known]));
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { cmd, seq, problem: p } = JSON.parse(line);
  if (cmd === "start") console.log(JSON.stringify({ implementation: "values.js", supports }));
  if (cmd === "run") console.log(JSON.stringify({ seq, answer: speaks[p.family][1](p) }));
});
