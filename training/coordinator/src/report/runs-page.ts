import { basename } from "node:path";
import type { RunHistory } from "../run-history.ts";
import { escapeMarkup } from "./escape-markup.ts";
import { formatScore } from "./format-figure.ts";
import { page } from "./report-page.ts";

interface ListedRun {
  readonly dir: string;
  /** Null if the journal cannot be read. In that case, `problem` contains the reason. */
  readonly history: RunHistory | null;
  readonly problem: string | null;
}

/** Returns the list of runs, latest first, each linked to its page. */
export function runsPage(runs: readonly ListedRun[]): string {
  const rows = runs.map(({ dir, history, problem }) => {
    const name = basename(dir);
    if (history === null) {
      return `<tr><th scope="row">${escapeMarkup(name)}</th><td class="wrap bad" colspan="5">${escapeMarkup(problem ?? "")}</td></tr>`;
    }
    const done = history.rounds.filter(({ state }) => state === "committed").length;
    const last = history.rounds.findLast(({ accuracy }) => accuracy !== null)?.accuracy ?? null;
    const cells = [
      history.state,
      `${done}/${history.plannedRounds}`,
      String(history.participants.length),
      last === null ? "–" : formatScore(last),
      history.startedAt.slice(0, 16).replace("T", " "),
    ];
    return `<tr><th scope="row"><a href="runs/${encodeURIComponent(name)}">${escapeMarkup(history.name)}</a> <span class="id">${escapeMarkup(name)}</span></th>${cells.map((cell) => `<td>${escapeMarkup(cell)}</td>`).join("")}</tr>`;
  });
  const head = ["run", "state", "rounds", "participants", "accuracy", "started (UTC)"];
  const table = `<table><thead><tr>${head.map((text) => `<th scope="col">${text}</th>`).join("")}</tr></thead><tbody>${rows.join("")}</tbody></table>`;
  const content =
    runs.length === 0 ? "<p>No runs yet. Start one with: tollgate train run</p>" : `<div class="scroll">${table}</div>`;
  return page(
    "Training runs",
    `<header><h1>Training runs</h1></header><main><section class="panel">${content}</section></main>`,
    null,
  );
}
