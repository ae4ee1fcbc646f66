// Losses and decoding in plain numbers: node values.js < problem.json
const { readFileSync } = require("node:fs");

const read = (v) => { // "3/7", "0.1", "-0x1.8p-3" or a plain number
  const [, minus, whole, part, e] = /^(-?)0x([^.p]*)\.?([^p]*)p?(.*)$/.exec(v) ?? [];
  if (whole) return (minus ? -1 : 1) * parseInt(whole + part, 16) * 2 ** (e - 4 * part.length);
  const [over, under = 1] = String(v).split("/").map(Number);
  return over / under;
};
const sum = (v) => v.reduce((a, b) => a + b, 0);
const largest = (v) => v.indexOf(Math.max(...v));

const margins = (loss) => (p) => ({ values: p.z.map((z) => loss(read(z), read(p.rho ?? 1))) });
const hinge = (join) => (p) => ({ values: p.scores.map((row, i) => {
  const s = row.map(read), y = p.classes ? p.classes.indexOf(p.y[i]) : p.y[i];
  return join(s.map((v, j) => (j === y ? 0 : Math.max(0, read(p.cost?.[j][y] ?? 1) + v - s[y]))));
}) });

const decided = (p, rows) => ({ labels: rows.map(largest).map((j) => p.classes?.[j] ?? j) });
const distances = {
  hamming: (z) => (1 - Math.sign(z)) / 2,
  hinge: (z) => Math.max(0, 1 - z),
  exponential: (z) => Math.exp(-z),
  logistic: (z) => Math.log1p(Math.exp(-z)),
};
const near = (p, bits, f) => -sum(bits.map((b, s) => distances[p.decoding ?? "hamming"](read(b) * read(f[s]))));
const won = (p, row) => { // of the pairs (0, 1), (0, 2), …: votes, half for each where they tie
  const k = (1 + Math.sqrt(1 + 8 * row.length)) / 2, points = Array(k).fill(0);
  let at = 0;
  for (let i = 0; i < k; i++) for (let j = i + 1; j < k; j++, at++) {
    const s = p.rule === "score_sum" ? read(row[at]) : Math.sign(read(row[at])) / 2;
    points[i] += s;
    points[j] -= s;
  }
  return points;
};

const speaks = {
  "loss.hinge": [["z"], margins(distances.hinge)],
  "loss.perceptron": [["z"], margins((z) => Math.max(0, -z))],
  "loss.exponential": [["z"], margins(distances.exponential)],
  "loss.logistic": [["z"], margins(distances.logistic)],
  "loss.margin": [["z", "rho"], margins((z, rho) => Math.min(1, Math.max(0, 1 - z / rho)))],
  "loss.multiclass_hinge": [["scores", "y", "classes", "cost", "X"], hinge((v) => Math.max(...v))],
  "loss.multiclass_hinge_sum": [["scores", "y", "classes", "cost", "X"], hinge(sum)],
  "code.decode": [["code", "f", "classes", "decoding"],
    (p) => decided(p, p.f.map((f) => p.code.map((bits) => near(p, bits, f))))],
  "ovo.decode": [["pairs", "classes", "rule"], (p) => decided(p, p.pairs.map((row) => won(p, row)))],
  "ova.decode": [["scores", "classes", "rule"], (p) => decided(p, p.scores.map((s) => s.map(read)))],
};
const p = JSON.parse(readFileSync(0, "utf8")), [fields, answer] = speaks[p.family] ?? [[]];
const unknown = Object.keys(p).find((field) => field !== "family" && !fields.includes(field));
const found = unknown ? { skip: unknown } : ["tournament", "votes_then_sums", "each"].includes(p.rule) ? { skip: p.rule } : answer(p);
console.log(JSON.stringify({ program: "values.js", ...found }));
