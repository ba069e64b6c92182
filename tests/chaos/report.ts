import type { Report } from "@tollgate/testkit/report.ts";
import type { CellResult } from "./cell.ts";

/** Result of a cell, with additional data about its run. */
export interface CellReport {
  readonly id: string;
  readonly title: string;
  readonly seconds: number;
  readonly kills: number;
  /** One-minute load average of the machine when the cell finished. */
  readonly loadAverage: number;
  readonly result: CellResult | null;
  readonly problems: readonly string[];
}

/** Prints a finished cell with its counts and its problems. */
export function recordCell(report: Report, { id, title, seconds, kills, loadAverage, result, problems }: CellReport) {
  const name = `${id.padEnd(5)} ${title} (${seconds.toFixed(0)} s, load average ${loadAverage})`;
  if (result?.skipped !== undefined) return report.skip("chaos", `${id} ${title}`, result.skipped);
  const reasons = [...problems, ...(result?.reckoning.examples ?? [])].join("\n");
  const details = result === null ? [] : [counts(result, kills)];
  report.record("chaos", name, problems.length === 0 ? null : reasons, details);
}

function counts({ reckoning, settledMs, overspendNano, figures = {} }: CellResult, kills: number): string {
  const { calls, whole, unsent, refused, left, lowCredit503, failedByFault, noTrace, lost, doubled, wrongRefusals } =
    reckoning;
  const settled = settledMs === null ? "never settled" : `settled after ${(settledMs / 1_000).toFixed(1)} s`;
  const seen = Object.entries(reckoning.failures).map(([what, count]) => `${count} × ${what}`);
  const parts = [
    `${calls} calls, ${whole} whole, ${refused} refused, ${failedByFault} failed by the fault`,
    ...(seen.length > 0 ? [seen.join(", ")] : []),
    ...(unsent > 0 ? [`${unsent} not sent, because the load generator was late`] : []),
    ...(left > 0 ? [`${left} left`] : []),
    ...(lowCredit503 > 0 ? [`${lowCredit503} got a 503 near zero credit`] : []),
    ...(noTrace > 0 ? [`${noTrace} cut without a trace`] : []),
    ...Object.entries(figures).map(([name, value]) => `${name} ${value}`),
    `${kills} kills`,
    `lost ${lost}, doubled ${doubled}, overspent ${overspendNano}, wrongly refused ${wrongRefusals}`,
    settled,
  ];
  return parts.join("; ");
}

/** Returns the figures for the whole run, for the last line of the JSON output. */
export function sumUp(reports: readonly CellReport[], seed: number, rate: number) {
  const ran = reports.filter(({ result }) => result !== null && result.skipped === undefined);
  const sum = (read: (result: CellResult) => number) =>
    ran.reduce((total, { result }) => total + (result === null ? 0 : read(result)), 0);
  const overspend = ran.reduce((total, { result }) => total + (result?.overspendNano ?? 0n), 0n);
  const failed = reports.filter(({ problems }) => problems.length > 0).length;
  return {
    passed: ran.filter(({ problems }) => problems.length === 0).length,
    failed,
    cells: ran.length,
    kills: reports.reduce((total, { kills }) => total + kills, 0),
    calls: sum(({ reckoning }) => reckoning.calls),
    lost: sum(({ reckoning }) => reckoning.lost),
    doubled: sum(({ reckoning }) => reckoning.doubled),
    overspendNano: Number(overspend),
    wrongRefusals: sum(({ reckoning }) => reckoning.wrongRefusals),
    differences: sum(({ ledger }) => ledger.differences),
    failedByFault: sum(({ reckoning }) => reckoning.failedByFault),
    unsent: sum(({ reckoning }) => reckoning.unsent),
    noTrace: sum(({ reckoning }) => reckoning.noTrace),
    seed,
    rate,
    skipped: reports.flatMap(({ id, title, result }) =>
      result?.skipped === undefined ? [] : [{ name: `${id} ${title}`, reason: result.skipped }],
    ),
    perCell: reports.map(({ id, seconds, kills, loadAverage, result, problems }) => ({
      id,
      ok: problems.length === 0,
      seconds: Math.round(seconds),
      kills,
      loadAverage,
      calls: result?.reckoning.calls ?? 0,
      whole: result?.reckoning.whole ?? 0,
      unsent: result?.reckoning.unsent ?? 0,
      failedByFault: result?.reckoning.failedByFault ?? 0,
      failures: result?.reckoning.failures ?? {},
      ...(result?.figures !== undefined && { figures: result.figures }),
      lost: result?.reckoning.lost ?? 0,
      doubled: result?.reckoning.doubled ?? 0,
      wrongRefusals: result?.reckoning.wrongRefusals ?? 0,
      settledMs: result?.settledMs === null || result === null ? null : Math.round(result.settledMs),
      problems,
    })),
  };
}
