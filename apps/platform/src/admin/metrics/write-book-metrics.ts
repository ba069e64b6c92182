import type { LedgerFigures } from "@tollgate/db/reconciliation/read-ledger-figures.ts";
import type { ReconciliationReport } from "@tollgate/db/reconciliation/reports.ts";
import { type BookMetricDefinition, type BookMetricName, bookMetricDefinitions } from "./book-metric-definitions.ts";

const orderStates = ["pending", "processing", "paid", "failed", "expired", "refunded", "disputed", "review"] as const;
const leaseStates = ["active", "lapsed", "closing"] as const;
const checkpointSinks = ["folder", "webhook"] as const;
const MS_PER_SECOND = 1_000;

type Sample = readonly [labels: string, value: number | bigint];

/** Formats the ledger metrics for Prometheus. Omits the verification metrics if the ledger was never verified. */
export function writeBookMetrics(figures: LedgerFigures, report: ReconciliationReport | null): string {
  const samples: Readonly<Record<BookMetricName, readonly Sample[]>> = {
    gw_teams_blocked: [["", figures.blockedTeams]],
    gw_orders: orderStates.map((state) => [`{state="${state}"}`, figures.orders[state] ?? 0]),
    gw_orders_paid_not_credited: [
      [`{reason="not_credited"}`, figures.paidNotCredited],
      [`{reason="unknown_purchase"}`, figures.paidForUnknown],
    ],
    gw_leased_nanousd: [["", figures.leased]],
    gw_ledger_operator_loss_nanousd: [["", figures.operatorLoss]],
    gw_leases: leaseStates.map((state) => [`{state="${state}"}`, figures.leases[state] ?? 0]),
    gw_gateways: [["", figures.gateways]],
    gw_rollup_lag_seconds: [["", Math.max(0, figures.rollupLagSeconds)]],
    gw_parked_events: [["", figures.parked]],
    gw_undelivered_events: [["", figures.undelivered]],
    gw_checkpoint_lag_seconds: [["", Math.max(0, figures.checkpointLagSeconds)]],
    gw_checkpoint_failures: checkpointSinks.map((sink) => [`{sink="${sink}"}`, figures.checkpointFailures[sink] ?? 0]),
    gw_checkpoints_dropped: checkpointSinks.map((sink) => [`{sink="${sink}"}`, figures.checkpointsDropped[sink] ?? 0]),
    gw_database_bytes: [["", figures.databaseBytes]],
    gw_migration_failed: [["", Number(figures.hasFailedMigration)]],
    ...samplesOfReport(report),
  };
  const definitions = Object.entries<BookMetricDefinition>(bookMetricDefinitions);
  return definitions.map(([name, { help }]) => writeGauge(name, help, samples[name as BookMetricName])).join("");
}

function samplesOfReport(report: ReconciliationReport | null) {
  if (report === null) {
    return { gw_ledger_differences: [], gw_ledger_difference_nanousd: [], gw_ledger_verified_timestamp_seconds: [] };
  }
  const { checks, finishedAt } = report;
  const sample = (value: number | bigint): readonly Sample[] => [["", value]];
  return {
    gw_ledger_differences: sample(checks.reduce((sum, { count }) => sum + count, 0)),
    gw_ledger_difference_nanousd: sample(checks.reduce((sum, { amount = "0" }) => sum + BigInt(amount), 0n)),
    gw_ledger_verified_timestamp_seconds: sample(finishedAt.getTime() / MS_PER_SECOND),
  };
}

function writeGauge(name: string, help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([labels, value]) => `${name}${labels} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join("")}`;
}
