import type { ParticipantRound, RoundHistory, RunHistory } from "../run-history.ts";
import { escapeMarkup } from "./escape-markup.ts";
import type { Table } from "./figure.ts";
import { formatBytes, formatCount, formatDuration, formatScore, formatShare } from "./format-figure.ts";
import { ownRound } from "./own-round.ts";

/** Draws a table of preformatted text. The first column has the row headers. */
export function drawTable(caption: string, { head, rows }: Table): string {
  const cells = (row: readonly string[]) =>
    row.map((text, index) =>
      index === 0 ? `<th scope="row">${escapeMarkup(text)}</th>` : `<td>${escapeMarkup(text)}</td>`,
    );
  return scrolling(
    caption,
    `<table><thead><tr>${head.map((text) => `<th scope="col">${escapeMarkup(text)}</th>`).join("")}</tr></thead><tbody>${rows
      .map((row) => `<tr>${cells(row).join("")}</tr>`)
      .join("")}</tbody></table>`,
  );
}

/** Wraps wide content in its own scroll area that is also keyboard accessible. */
export function scrolling(label: string, content: string, isTall = false): string {
  return `<div class="scroll${isTall ? " tall" : ""}" tabindex="0" role="region" aria-label="${escapeMarkup(label)}">${content}</div>`;
}

/** Draws one row per participant, with its state after the last round that it took part in. */
export function participantTable(history: RunHistory): string {
  const head = ["participant", "rounds", "failed", "examples", "last accuracy", "last share", "parameters", "state"];
  const rows = history.participants.map(({ id, quarantined }) => {
    const own = history.rounds.flatMap((round) => ownRound(round, id) ?? []);
    const trained = own.flatMap(({ train }) => train ?? []);
    const last = trained.at(-1);
    const accuracy = own.findLast(({ evaluate }) => evaluate !== null)?.evaluate?.accuracy;
    return [
      id,
      String(trained.length),
      String(own.filter(({ failure }) => failure !== null).length),
      last?.numExamples === null || last === undefined ? "–" : formatCount(last.numExamples),
      accuracy === undefined ? "–" : formatScore(accuracy),
      last?.share === null || last === undefined ? "–" : formatShare(last.share),
      last === undefined ? "–" : formatBytes(last.byteLength),
      quarantined ? "quarantined" : (own.at(-1)?.state ?? "–"),
    ];
  });
  return drawTable("Participants", { head, rows });
}

const MAX_ROUNDS_ACROSS = 60;
const MAX_PARTICIPANTS_DOWN = 200;

/**
 * Draws a matrix of participants (rows) and rounds (columns): which participants took part, were slow, or failed, and
 * why.
 */
export function roundMatrix(history: RunHistory): string {
  const rounds = history.rounds.slice(-MAX_ROUNDS_ACROSS);
  const shown = history.participants.slice(0, MAX_PARTICIPANTS_DOWN);
  const head = rounds.map(({ round }) => `<th scope="col">${round}</th>`).join("");
  const body = shown.map(({ id }) => {
    const cells = rounds.map((round) => matrixCell(ownRound(round, id)));
    return `<tr><th scope="row">${escapeMarkup(id)}</th>${cells.join("")}</tr>`;
  });
  const left = history.rounds.length - rounds.length;
  const hidden = history.participants.length - shown.length;
  const notes = [left > 0 ? `${left} earlier rounds` : "", hidden > 0 ? `${hidden} more participants` : ""].filter(
    Boolean,
  );
  const note =
    notes.length === 0 ? "" : `<p class="quiet">Not shown: ${notes.join(" and ")}. See metrics.csv for all data.</p>`;
  return `${scrolling(
    "Participants by round",
    `<table class="matrix"><thead><tr><th scope="col">participant</th>${head}</tr></thead><tbody>${body.join("")}</tbody></table>`,
  )}${note}`;
}

function matrixCell(own: ParticipantRound | null): string {
  if (own === null) return '<td class="quiet" title="not selected">·</td>';
  if (own.failure !== null) {
    const reason = escapeMarkup(`${own.failure.phase}: ${own.failure.reason}`);
    return `<td class="bad" title="${reason}">${own.state === "late" ? "late" : "failed"}</td>`;
  }
  if (own.state === "late") return '<td class="warn">late</td>';
  if (own.train !== null || own.evaluate !== null) return '<td class="ok">ok</td>';
  return `<td class="quiet">${escapeMarkup(own.state)}</td>`;
}

/** Draws one row per round with everything that happened in it. */
export function roundTable(history: RunHistory): string {
  const rows = history.rounds.map((round) => {
    const failures = round.participants.flatMap(({ id, failure }) =>
      failure === null ? [] : `${id}: ${failure.reason}`,
    );
    const trained = round.participants.filter(({ train }) => train !== null).length;
    const words = [...failures, ...(round.reason === null ? [] : [round.reason])].join("; ");
    return `<tr><th scope="row">${round.round}</th><td class="text ${stateClass(round)}">${round.state}</td><td>${trained}/${round.selected.length}</td><td>${figure(round.accuracy)}</td><td>${round.min === null || round.max === null ? "–" : `${formatScore(round.min)}–${formatScore(round.max)}`}</td><td>${figure(round.metrics.loss ?? null)}</td><td>${round.durationMs === null ? "–" : formatDuration(round.durationMs)}</td><td class="wrap">${escapeMarkup(words) || "–"}</td></tr>`;
  });
  const head = ["round", "state", "trained", "accuracy", "lowest–highest", "loss", "time", "details"];
  const classes: Record<string, string> = { state: "text", details: "text" };
  return scrolling(
    "Rounds",
    `<table><thead><tr>${head.map((text) => `<th scope="col" class="${classes[text] ?? ""}">${text}</th>`).join("")}</tr></thead><tbody>${rows.join("")}</tbody></table>`,
    true,
  );
}

const figure = (value: number | null) => (value === null ? "–" : formatScore(value));

function stateClass({ state }: RoundHistory): string {
  if (state === "committed") return "ok";
  return state === "rejected" || state === "failed" ? "bad" : "info";
}
