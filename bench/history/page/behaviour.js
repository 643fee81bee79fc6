"use strict";
// Filters, and what is said of a run: under the pointer, under a finger, or by the arrow keys in a chart.
const tip = document.getElementById("tip");
let shown = null;

function hide() {
  if (shown) shown.classList.remove("shown");
  shown = null;
  tip.hidden = true;
}

function show(run) {
  if (run === shown) return;
  hide();
  shown = run;
  run.classList.add("shown");
  tip.textContent = run.dataset.says;
  tip.hidden = false;
  const at = run.getBoundingClientRect(), box = tip.getBoundingClientRect();
  const left = Math.min(Math.max(8, at.left + at.width / 2 - box.width / 2), innerWidth - box.width - 8);
  const above = at.top - box.height - 10;
  tip.style.left = left + "px";
  tip.style.top = (above > 8 ? above : at.bottom + 10) + "px";
}

function runsOf(chart) {
  return [...chart.querySelectorAll(".run")];
}

// The run whose place across the chart is nearest to the pointer.
function nearest(chart, event) {
  const box = chart.getBoundingClientRect();
  const x = (event.clientX - box.left) * chart.viewBox.baseVal.width / box.width;
  const distance = run => Math.abs(run.dataset.x - x);
  return runsOf(chart).reduce((best, run) => distance(run) < distance(best) ? run : best);
}

function walk(chart, event) {
  const runs = runsOf(chart), here = runs.indexOf(shown), last = runs.length - 1;
  const next = {ArrowLeft: here < 0 ? last : Math.max(0, here - 1), ArrowRight: Math.min(last, here + 1), Home: 0, End: last}[event.key];
  if (event.key === "Escape") hide();
  if (next === undefined) return;
  event.preventDefault();
  show(runs[next]);
}

for (const chart of document.querySelectorAll(".series svg")) {
  chart.addEventListener("pointermove", event => show(nearest(chart, event)));
  chart.addEventListener("pointerdown", event => show(nearest(chart, event)));
  chart.addEventListener("pointerleave", hide);
  chart.addEventListener("keydown", event => walk(chart, event));
  chart.addEventListener("blur", hide);
}
addEventListener("scroll", hide, {passive: true});

const words = document.getElementById("words"), machine = document.getElementById("machine"), changed = document.getElementById("changed");

function filter() {
  const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  let visible = 0, all = 0;
  for (const section of document.querySelectorAll(".machine")) {
    const here = !machine.value || section.dataset.machine === machine.value;
    let any = false;
    for (const card of section.querySelectorAll(".series")) {
      all += 1;
      card.hidden = !(here && wanted.every(word => card.dataset.name.includes(word)) && (!changed.checked || "changed" in card.dataset));
      if (!card.hidden) visible += 1;
      any = any || !card.hidden;
    }
    section.hidden = !any;
  }
  document.getElementById("shown").textContent = `${visible} of ${all} series`;
  document.getElementById("nothing").hidden = visible > 0;
}

document.getElementById("filters").addEventListener("input", filter);
document.getElementById("filters").addEventListener("submit", event => event.preventDefault());
filter();
