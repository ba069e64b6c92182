import type { RunHistory } from "../run-history.ts";

const HEAD = [
  "round",
  "participant",
  "state",
  "train_num_examples",
  "train_duration_ms",
  "weight_share",
  "capped",
  "update_norm",
  "parameter_bytes",
  "accuracy",
  "evaluate_num_examples",
  "evaluate_duration_ms",
  "failure",
];

/**
 * Formats all data of a run as CSV: per round, one line for all participants together (`*`), then one per participant.
 */
export function metricsCsv(history: RunHistory): string {
  const trainMetrics = namesOf(history, ({ train }) => train?.metrics);
  const evaluateMetrics = namesOf(history, ({ evaluate }) => evaluate?.metrics);
  const lines: (string | number | null)[][] = [
    [...HEAD, ...trainMetrics.map((name) => `train_${name}`), ...evaluateMetrics.map((name) => `evaluate_${name}`)],
  ];
  for (const round of history.rounds) {
    lines.push([
      ...[round.round, "*", round.state, null, round.durationMs, null, null, null, null, round.accuracy, null, null],
      round.reason,
      ...trainMetrics.map(() => null),
      ...evaluateMetrics.map((name) => round.metrics[name] ?? null),
    ]);
    for (const { id, state, train, evaluate, failure } of round.participants) {
      lines.push([
        ...[round.round, id, state, train?.numExamples ?? null, train?.durationMs ?? null, train?.share ?? null],
        ...[train === null ? null : Number(train.capped), train?.updateNorm ?? null, train?.byteLength ?? null],
        ...[evaluate?.accuracy ?? null, evaluate?.numExamples ?? null, evaluate?.durationMs ?? null],
        failure?.reason ?? null,
        ...trainMetrics.map((name) => train?.metrics[name] ?? null),
        ...evaluateMetrics.map((name) => evaluate?.metrics[name] ?? null),
      ]);
    }
  }
  return `${lines.map((line) => line.map(cell).join(",")).join("\n")}\n`;
}

type ParticipantRound = RunHistory["rounds"][number]["participants"][number];

function namesOf(
  history: RunHistory,
  pick: (participant: ParticipantRound) => Readonly<Record<string, number>> | undefined,
): string[] {
  const names = new Set<string>();
  for (const { participants } of history.rounds) {
    for (const participant of participants) for (const name of Object.keys(pick(participant) ?? {})) names.add(name);
  }
  return [...names].toSorted();
}

/**
 * Formats a cell. Adds an apostrophe before text that a spreadsheet would read as a formula, because names are
 * untrusted.
 */
function cell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
