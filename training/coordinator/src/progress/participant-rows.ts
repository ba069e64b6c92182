import type { ParticipantState, RunEvent } from "../run-events.ts";

/** Status of one participant in the running round. */
export interface ParticipantRow {
  readonly id: string;
  state: ParticipantState;
  note: string;
  step: number | null;
  total: number | null;
  examples: number | null;
  metric: { name: string; value: number } | null;
  /** When the participant started its current work; null while it is idle. */
  sinceMs: number | null;
  elapsedMs: number | null;
}

const BUSY: readonly ParticipantState[] = ["training", "evaluating", "aggregating", "retrying"];

/** Maintains one row per participant, updated from events. */
export class ParticipantRows {
  readonly #rows = new Map<string, ParticipantRow>();

  get all(): readonly ParticipantRow[] {
    return [...this.#rows.values()];
  }

  /** Applies one event. Events without a participant change nothing. */
  apply(event: RunEvent): void {
    const atMs = Date.parse(event.at);
    switch (event.type) {
      case "run.started":
        for (const { id } of event.participants) this.#rows.set(id, emptyRow(id));
        break;
      case "round.started":
        for (const row of this.#rows.values()) {
          const isSelected = event.selected.includes(row.id);
          if (row.state !== "quarantined" || isSelected) row.state = isSelected ? "waiting" : "not selected";
          Object.assign(row, { note: "", step: null, total: null, sinceMs: null, elapsedMs: null });
        }
        break;
      case "participant.state":
        this.#changeState(event.participant, event.state, event.note ?? "", atMs);
        break;
      case "participant.progress":
        this.#change(event.participant, (row) => {
          row.step = event.step;
          row.total = event.total ?? null;
          row.metric = firstMetric(event.metrics) ?? row.metric;
        });
        break;
      case "result.received":
        this.#change(event.participant, (row) => {
          row.examples = event.numExamples;
          row.metric = firstMetric(event.metrics) ?? row.metric;
        });
        break;
      case "evaluation.received":
        this.#change(event.participant, (row) => {
          row.metric = { name: "accuracy", value: event.accuracy };
        });
        break;
      case "participant.failed":
        this.#changeState(event.participant, event.quarantined ? "quarantined" : "failed", event.reason, atMs);
        break;
    }
  }

  #changeState(id: string, state: ParticipantState, note: string, atMs: number): void {
    this.#change(id, (row) => {
      if (row.sinceMs !== null) row.elapsedMs = atMs - row.sinceMs;
      if (row.state !== state) row.step = row.total = null;
      row.sinceMs = BUSY.includes(state) ? (row.state === "retrying" ? row.sinceMs : atMs) : null;
      row.state = state;
      row.note = note;
    });
  }

  #change(id: string, change: (row: ParticipantRow) => void): void {
    const row = this.#rows.get(id);
    if (row !== undefined) change(row);
  }
}

function emptyRow(id: string): ParticipantRow {
  return {
    id,
    state: "waiting",
    note: "",
    step: null,
    total: null,
    examples: null,
    metric: null,
    sinceMs: null,
    elapsedMs: null,
  };
}

function firstMetric(metrics: Readonly<Record<string, number>>): { name: string; value: number } | null {
  const [first] = Object.entries(metrics);
  return first === undefined ? null : { name: first[0], value: first[1] };
}
