// Decision trees: refmc run --plain --persistent -- node tree.js
function grow(p) {
  const X = p.X, m = X.length, nodes = [], open = [];
  const purity = (rows) => { // a whole number s, where the impurity is 1 - s / n²
    const counts = [...new Set(p.y)].map((c) => rows.filter((i) => p.y[i] === c).length);
    const gini = counts.reduce((total, c) => total + c * c, 0);
    return p.impurity === "misclassification" ? Math.max(...counts) * rows.length : gini;
  };
  const decrease = (rows, no, yes) => {
    const [n, a, b] = [rows, no, yes].map((part) => part.length);
    const over = purity(no) * b * n + purity(yes) * a * n - purity(rows) * a * b;
    return over / (a * b * n * (p.weighted ? m : n));
  };
  const add = (rows, depth) => { // a leaf, and the best of what could split it
    const node = {}, splits = [];
    const stays = depth === p.max_depth || purity(rows) === rows.length ** 2;
    for (const column of X[0].keys()) for (const at of stays ? [] : rows) {
      const yes = rows.filter((i) => X[i][column] <= X[at][column]), no = rows.filter((i) => !yes.includes(i));
      if (Math.min(yes.length, no.length) < p.min_leaf) continue;
      const question = { column, threshold: X[at][column] };
      splits.push({ node, depth, question, no, yes, gain: decrease(rows, no, yes) });
    }
    const best = splits.sort((s, t) => t.gain - s.gain)[0];
    const enough = p.min_decrease == null || (best?.gain > 0 && best.gain >= p.min_decrease);
    if (best && enough) open.push(best);
    return nodes.push(node) - 1;
  };
  add([...X.keys()], 0);
  for (let left = p.max_splits ?? m; left && open.length; left--) {
    const { node, depth, question, no, yes } = open.sort((s, t) => t.gain - s.gain).shift();
    Object.assign(node, { question, negative: add(no, depth + 1), positive: add(yes, depth + 1) });
  }
  return { tree: { nodes } };
}

const supports = { "tree.grow": ["impurity=misclassification", "weighted", "thresholds", "max_depth",
  "max_splits", "min_leaf", "min_decrease", "classes"] };
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { cmd, seq, problem: p } = JSON.parse(line);
  if (cmd === "start") console.log(JSON.stringify({ implementation: "tree.js", supports }));
  if (cmd === "run") console.log(JSON.stringify({ seq, answer: grow(p) }));
});
