// Binary and multi-class perceptrons: refmc run --plain --persistent -- node perceptron.js
const dot = (u, v) => u.reduce((total, a, j) => total + a * v[j], 0);

function perceptron(p) { // a weight vector a class; of two classes one is the other's negative
  const X = p.X.map((x) => [...x, ...(p.bias ? [1] : [])]), trace = [];
  const W = p.classes.map(() => X[0].map(() => 0));
  const add = (j, c, x) => { W[j] = W[j].map((w, i) => w + c * x[i]); };
  for (let epoch = 0, mistakes = 1; mistakes && epoch < p.epochs; epoch++) {
    mistakes = 0;
    for (const i of (Array.isArray(p.order?.[0]) ? p.order[epoch] : p.order) ?? X.keys()) {
      const s = W.map((w) => dot(w, X[i])), y = p.classes.indexOf(p.y[i]);
      const rivals = [...s.keys()].filter((j) => j !== y && s[j] >= s[y]), top = Math.max(...s);
      const lose = p.tau === "all_rivals" ? rivals : rivals.filter((j) => s[j] === top).slice(0, 1);
      if (rivals.length) mistakes++, add(y, 1, X[i]);
      for (const j of lose) add(j, -1 / lose.length, X[i]);
      trace.push(p.tau ? [...W] : W[1]);
    }
  }
  return { trace };
}

const supports = {
  "perceptron.binary": ["epochs", "order", "bias", "classes"],
  "perceptron.multiclass": ["epochs", "order", "tau=all_rivals", "classes"],
};
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { cmd, seq, problem: p } = JSON.parse(line);
  if (cmd === "start") console.log(JSON.stringify({ implementation: "perceptron.js", supports }));
  if (cmd === "run") console.log(JSON.stringify({ seq, answer: perceptron(p) }));
});
