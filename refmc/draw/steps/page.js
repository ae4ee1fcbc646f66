"use strict";
// Every step of every run is a <section> of this page. data-after names the step before it; where
// several steps follow one, a tie was broken in different ways, and the first is the main run.
const $ = (query) => document.querySelector(query);
const steps = [...document.querySelectorAll("section")];
const following = new Map(steps.map((step) => [step.dataset.after, step]).reverse());
let path = []; // the steps of the run that is shown
let at = 0;    // which of them is shown

function runThrough(step) {
  const run = [step];
  for (let s = step; (s = document.getElementById(s.dataset.after)); ) run.unshift(s);
  for (let s = step; (s = following.get(s.id)); ) run.push(s);
  return run;
}

function setPath(run) {
  path = run;
  for (const step of steps) step.classList.toggle("path", run.includes(step));
  $("#slide").max = run.length - 1;
  $("#marks").innerHTML = "";
  let last = -Infinity;
  run.forEach((step, i) => { // a link to the first step of each round, where there is room
    if (i > 0 && step.dataset.mark === run[i - 1].dataset.mark) return;
    if ((i - last) * $("#marks").clientWidth < 18 * (run.length - 1)) return;
    last = i;
    const link = document.createElement("a");
    link.href = "#" + step.id;
    link.textContent = step.dataset.mark;
    link.style.left = (100 * i) / (run.length - 1) + "%";
    link.dataset.mark = step.dataset.mark;
    $("#marks").append(link);
  });
}

function show(i) {
  at = Math.max(0, Math.min(path.length - 1, i));
  const step = path[at], lines = step.dataset.lines.split(" ");
  for (const other of steps) other.classList.toggle("now", other === step);
  for (const line of document.querySelectorAll(".algo li"))
    line.classList.toggle("now", lines.includes(line.dataset.n));
  for (const link of document.querySelectorAll("#marks a"))
    link.classList.toggle("now", link.dataset.mark === step.dataset.mark);
  $("#slide").value = at;
  $("#slide").setAttribute("aria-valuetext", step.querySelector(".say").textContent);
  $("#where").textContent = `step ${at + 1} of ${path.length}`;
  $("#back").disabled = at === 0;
  $("#on").disabled = at === path.length - 1;
  if (location.hash !== "#" + step.id) history.replaceState(null, "", "#" + step.id);
}

function follow() { // the step that the address names; a step of another run switches to that run
  const step = document.getElementById(decodeURIComponent(location.hash.slice(1))) || steps[0];
  if (!path.includes(step)) setPath(runThrough(step));
  show(path.indexOf(step));
}

function toRound(way) { // the first step of the next round, or of this or the last one
  const first = (i) => i === 0 || path[i].dataset.mark !== path[i - 1].dataset.mark;
  let i = at + way;
  while (path[i] && !first(i)) i += way;
  show(i);
}

const keys = {
  ArrowRight: () => show(at + 1), ArrowLeft: () => show(at - 1), " ": () => show(at + 1),
  PageDown: () => toRound(1), PageUp: () => toRound(-1),
  Home: () => show(0), End: () => show(path.length - 1),
  d: () => document.body.classList.toggle("dec"),
  a: () => document.body.classList.toggle("all"), // all steps of the run, small, to choose from
};
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === " " && event.target.closest("button, a, summary")) return;
  const round = event.shiftKey && { ArrowRight: "PageDown", ArrowLeft: "PageUp" }[event.key];
  const act = keys[round || event.key];
  if (act) { event.preventDefault(); act(); }
});
$("#slide").addEventListener("input", () => show(+$("#slide").value));
const buttons = { back: "ArrowLeft", on: "ArrowRight", dec: "d", all: "a" };
for (const [name, key] of Object.entries(buttons)) $("#" + name).addEventListener("click", keys[key]);
for (const line of document.querySelectorAll(".algo li[data-n]")) line.addEventListener("click", () => {
  const folded = matchMedia("(max-width: 860px)").matches; // a phone shows the current lines only
  if (folded) return $(".algo").classList.toggle("all");
  const does = (step) => step.dataset.lines.split(" ").includes(line.dataset.n);
  const later = path.findIndex((step, i) => i > at && does(step));
  show(later < 0 ? Math.max(0, path.findIndex(does)) : later);
});
for (const kind of ["mouseover", "mouseout"]) addEventListener(kind, (event) => {
  const symbol = event.target.closest(".algo i, .work i"); // what it stands for lights up
  if (symbol) for (const place of path[at].querySelectorAll("[data-s]"))
    place.classList.toggle("lit", kind === "mouseover" && place.dataset.s.includes(symbol.textContent));
});
for (const step of steps) step.addEventListener("click", () => {
  if (document.body.classList.contains("all")) { keys.a(); show(path.indexOf(step)); }
});
addEventListener("hashchange", follow);
document.documentElement.classList.add("js");
follow();
