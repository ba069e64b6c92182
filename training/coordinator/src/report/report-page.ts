import { createHash } from "node:crypto";
import type { RunHistory } from "../run-history.ts";
import { assignSeries } from "./assign-series.ts";
import { escapeMarkup } from "./escape-markup.ts";
import type { Figure } from "./figure.ts";
import { findWarnings } from "./find-warnings.ts";
import { formatDuration, formatScore } from "./format-figure.ts";
import { makeFigures } from "./make-figures.ts";
import { PAGE_STYLE } from "./page-style.ts";
import { drawTable, participantTable, roundMatrix, roundTable, scrolling } from "./page-tables.ts";

/** Returns the report of a run: a self-contained file without scripts, with all names escaped. */
export function reportPage(history: RunHistory, figures: readonly Figure[] = makeFigures(history)): string {
  return page(`${history.name} · training report`, reportContent(history, figures), null);
}

/** Like `reportPage`, but updated by a script while the run continues. */
export function livePage(history: RunHistory, script: string): string {
  return page(`${history.name} · training`, reportContent(history, makeFigures(history)), script);
}

/** Wraps a body in a page. The content security policy allows only this style and script, by hash. */
export function page(title: string, body: string, script: string | null): string {
  const policy = [
    "default-src 'none'",
    `style-src '${hash(PAGE_STYLE)}'`,
    ...(script === null ? [] : [`script-src '${hash(script)}'`, "connect-src 'self'"]),
    "base-uri 'none'",
    "form-action 'none'",
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy.join("; ")}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">
<title>${escapeMarkup(title)}</title><style>${PAGE_STYLE}</style></head>
<body>${body}${script === null ? "" : `<script>${script}</script>`}</body></html>
`;
}

function reportContent(history: RunHistory, figures: readonly Figure[]): string {
  const warnings = findWarnings(history);
  return `<a class="skip" href="#figures">Skip to the charts</a>
<header><h1>${escapeMarkup(history.name)}${stateBadge(history)}</h1><div class="id">${escapeMarkup(history.run)}</div>${facts(history)}</header>
<main>${warnings.length === 0 ? "" : drawWarnings(warnings)}
${narrowLegend(history)}<section id="figures" class="figures" aria-label="Charts">${figures.map(drawFigure).join("\n")}</section>
<section class="panel" aria-labelledby="who"><h2 id="who">Participants</h2>${participantTable(history)}</section>
<section class="panel" aria-labelledby="matrix"><h2 id="matrix">Participants by round</h2>${roundMatrix(history)}</section>
<section class="panel" aria-labelledby="rounds"><h2 id="rounds">Rounds</h2>${roundTable(history)}</section></main>
<footer>Times are UTC. metrics.csv, next to this file, contains all data. Parameters are identified by SHA-256 and are not part of this report.</footer>`;
}

const STATES: Readonly<Record<RunHistory["state"], readonly [style: string, words: string]>> = {
  open: ["info", "open"],
  paused: ["warn", "paused"],
  failed: ["bad", "failed"],
  finished: ["ok", "finished"],
};

function stateBadge({ state, reason }: RunHistory): string {
  const [style, words] = STATES[state];
  const why = state === "paused" || state === "failed" ? `: ${reason ?? ""}` : "";
  return `<span class="state ${style}">${escapeMarkup(words + why)}</span>`;
}

function facts(history: RunHistory): string {
  const scored = history.rounds.flatMap(({ accuracy }) => accuracy ?? []);
  const [first, last] = [scored[0], scored.at(-1)];
  const done = history.rounds.filter(({ state }) => state === "committed").length;
  const rows: [name: string, value: string, isHeadline?: boolean][] = [
    ["Accuracy", last === undefined ? "–" : formatScore(last), true],
    ["Best", history.best === null ? "–" : `${formatScore(history.best.score)} in round ${history.best.round}`],
    ["Change since first round", first === undefined || last === undefined ? "–" : signed(last - first)],
    ["Rounds", `${done} of ${history.plannedRounds}`],
    ["Participants", String(history.participants.length)],
    ["Aggregation", history.method],
    ["Started", history.startedAt.slice(0, 16).replace("T", " ")],
    ["Duration", formatDuration(Date.parse(history.updatedAt) - Date.parse(history.startedAt))],
    ...(history.final === null ? [] : [["Final parameters", history.final.sha256.slice(0, 12)] as [string, string]]),
  ];
  const draw = ([name, value, isHeadline]: (typeof rows)[number]) =>
    `<div><dt>${name}</dt><dd${isHeadline ? ' class="headline"' : ""}>${escapeMarkup(value)}</dd></div>`;
  return `<dl class="facts">${rows.map(draw).join("")}</dl>`;
}

/** Draws a legend for narrow screens, where the names at the end of the lines are out of view. */
function narrowLegend(history: RunHistory): string {
  const named = assignSeries(history).filter(({ isNamed }) => isNamed);
  const items = [{ id: "all", series: 1 }, ...named].map(
    ({ id, series }) =>
      `<li><svg class="chart" width="24" height="12" aria-hidden="true"><line class="line c${series} main" x1="1" x2="23" y1="6" y2="6"/></svg>${escapeMarkup(id)}</li>`,
  );
  return `<ul class="legend" aria-label="Chart legend">${items.join("")}</ul>`;
}

function drawWarnings(warnings: readonly string[]): string {
  const items = warnings.map((warning) => `<li>${escapeMarkup(warning)}</li>`).join("");
  return `<section class="panel warnings" aria-labelledby="warnings"><h2 id="warnings">Warnings</h2><ul>${items}</ul></section>`;
}

function drawFigure({ id, title, summary, svg, table }: Figure): string {
  return `<figure class="panel" id="figure-${escapeMarkup(id)}"><figcaption><h2>${escapeMarkup(title)}</h2><p>${escapeMarkup(summary)}</p></figcaption>${scrolling(title, svg)}<details><summary>Data table</summary>${drawTable(title, table)}</details></figure>`;
}

const signed = (value: number) => `${value > 0 ? "+" : value < 0 ? "−" : "±"}${formatScore(Math.abs(value))}`;
const hash = (text: string) => `sha256-${createHash("sha256").update(text).digest("base64")}`;
