// Binary and multi-class perceptrons in plain numbers: node perceptron.js < problem.json
const { readFileSync } = require("node:fs");

const read = (v) => { // "3/7", "0.1", "-0x1.8p-3" or a plain number
  const [, minus, whole, part, e] = /^(-?)0x([^.p]*)\.?([^p]*)p?(.*)$/.exec(v) ?? [];
  if (whole) return (minus ? -1 : 1) * parseInt(whole + part, 16) * 2 ** (e - 4 * part.length);
  const [over, under = 1] = String(v).split("/").map(Number);
  return over / under;
};
const dot = (u, v) => u.reduce((total, a, j) => total + a * v[j], 0);

function perceptron(p) { // a weight vector a class; of two classes one is the other's negative
  const X = p.X.map((x) => [...x.map(read), ...(p.bias ? [1] : [])]), two = /binary/.test(p.family);
  const classes = p.classes ?? (two ? [-1, 1] : [...new Set(p.y)].sort()), trace = [];
  const W = classes.map(() => X[0].map(() => 0));
  const add = (j, c, x) => { W[j] = W[j].map((w, i) => w + c * x[i]); };
  for (let epoch = 0, mistakes = 1; mistakes && epoch < (p.epochs ?? 1); epoch++) {
    mistakes = 0;
    for (const i of (Array.isArray(p.order?.[0]) ? p.order[epoch] : p.order) ?? X.keys()) {
      const s = W.map((w) => dot(w, X[i])), y = classes.indexOf(p.y[i]);
      const rivals = [...s.keys()].filter((j) => j !== y && s[j] >= s[y]), top = Math.max(...s);
      const lose = p.tau === "all_rivals" ? rivals : rivals.filter((j) => s[j] === top).slice(0, 1);
      if (rivals.length) mistakes++, add(y, 1, X[i]);
      for (const j of lose) add(j, -1 / lose.length, X[i]);
      trace.push(two ? W[1] : [...W]);
    }
  }
  return { trace };
}

const speaks = ["family", "X", "y", "classes", "epochs", "order", "bias", "tau"];
const p = JSON.parse(readFileSync(0, "utf8"));
const unknown = Object.keys(p).find((field) => !speaks.includes(field));
const other = !/^perceptron.[bm]/.test(p.family);
const found = other ? { skip: p.family } : unknown ? { skip: unknown } : perceptron(p);
console.log(JSON.stringify({ program: "perceptron.js", ...found }));
