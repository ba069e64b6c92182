import type { BookFigures } from "@tollgate/db/reconciliation/read-book-figures.ts";
import type { ReconciliationReport } from "@tollgate/db/reconciliation/reports.ts";

const orderStates = ["pending", "processing", "paid", "failed", "expired", "refunded", "disputed", "review"] as const;
const MS_PER_SECOND = 1_000;

/** The figures of the books as Prometheus reads them. What the last proof found is left out while there was none. */
export function writeBookMetrics(figures: BookFigures, report: ReconciliationReport | null): string {
  const { blockedTeams, orders, leased, undelivered } = figures;
  const differences = report?.checks.reduce((sum, { count }) => sum + count, 0);
  const metrics: readonly (readonly [name: string, help: string, samples: readonly Sample[]])[] = [
    ["gw_teams_blocked", "Teams that may not call.", [["", blockedTeams]]],
    ["gw_orders", "Purchases by state.", orderStates.map((state) => [`{state="${state}"}`, orders[state] ?? 0])],
    ["gw_leased_nanousd", "Credit that gateways hold in advance.", [["", leased]]],
    ["gw_undelivered_events", "Events that nobody was told of yet.", [["", undelivered]]],
    [
      "gw_ledger_differences",
      "What the last proof of the books found to differ; 0 is the only good value.",
      differences === undefined ? [] : [["", differences]],
    ],
    [
      "gw_ledger_proven_timestamp_seconds",
      "When the last proof of the books ended.",
      report === null ? [] : [["", report.finishedAt.getTime() / MS_PER_SECOND]],
    ],
  ];
  return metrics.map(([name, help, samples]) => writeGauge(name, help, samples)).join("");
}

type Sample = readonly [labels: string, value: number | bigint];

function writeGauge(name: string, help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([labels, value]) => `${name}${labels} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join("")}`;
}
