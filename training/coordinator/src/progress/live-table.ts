import { formatCount, formatDuration, formatScore } from "../report/format-figure.ts";
import type { RunEvent } from "../run-events.ts";
import { cleanText } from "./clean-text.ts";
import type { Paint } from "./paint.ts";
import { type ParticipantRow, ParticipantRows } from "./participant-rows.ts";

const TITLES = ["participant", "state", "step", "examples", "last metric", "elapsed"];
const WIDTHS = [16, 13, 11, 10, 20, 9];

/** Live view of the running round: one line for the round and one per participant. Its state comes only from events. */
export class LiveTable {
  readonly #rows = new ParticipantRows();
  readonly #durations: number[] = [];
  #round = 0;
  #rounds = 0;
  #startedMs = 0;

  apply(event: RunEvent): void {
    this.#rows.apply(event);
    if (event.type === "run.started") this.#rounds = event.rounds;
    if (event.type === "round.started") {
      this.#round = event.round;
      this.#startedMs = Date.parse(event.at);
    }
    if (event.type === "round.committed" || event.type === "round.rejected") this.#durations.push(event.durationMs);
  }

  /** Returns the lines to display: at most `height` lines, each at most `width` wide. */
  draw(nowMs: number, { width, height }: { width: number; height: number }, paint: Paint): string[] {
    if (this.#round === 0) return [];
    const rows = this.#rows.all;
    const room = Math.max(1, height - 3);
    const shown = rows.slice(0, room);
    const lines = [
      this.#roundLine(nowMs),
      line(TITLES, ""),
      ...shown.map((row) => participantLine(row, nowMs)),
      ...(shown.length < rows.length ? [`  … and ${rows.length - shown.length} more`] : []),
    ].map((text) => cut(text, width));
    return lines.map((text, index) => (index === 1 ? paint.dim(text) : text));
  }

  #roundLine(nowMs: number): string {
    const left = this.#rounds - this.#round;
    const mean = this.#durations.reduce((sum, ms) => sum + ms, 0) / this.#durations.length;
    const passed = nowMs - this.#startedMs;
    const leftMs = mean * (left + 1) - passed;
    const eta = leftMs > 0 ? ` · about ${formatDuration(leftMs)} left` : "";
    return `  round ${this.#round} of ${this.#rounds} · ${formatDuration(passed)}${eta}`;
  }
}

function participantLine(row: ParticipantRow, nowMs: number): string {
  const elapsed = row.sinceMs === null ? row.elapsedMs : nowMs - row.sinceMs;
  const cells = [
    row.id,
    row.state,
    row.step === null ? "–" : row.total === null ? String(row.step) : `${row.step}/${row.total}`,
    row.examples === null ? "–" : formatCount(row.examples),
    row.metric === null ? "–" : `${cleanText(row.metric.name)} ${formatScore(row.metric.value)}`,
    elapsed === null ? "–" : formatDuration(Math.max(0, elapsed)),
  ];
  return line(cells, cleanText(row.note));
}

function line(cells: readonly string[], note: string): string {
  const padded = cells.map((cell, index) => cut(cell, (WIDTHS[index] as number) - 1).padEnd(WIDTHS[index] as number));
  return `  ${padded.join("")}${note}`.trimEnd();
}

const cut = (text: string, width: number) => (text.length > width ? `${text.slice(0, Math.max(0, width - 1))}…` : text);
