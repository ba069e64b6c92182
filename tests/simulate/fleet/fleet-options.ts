import type { AdmissionRule } from "@tollgate/domain/credit/admission.ts";

/** One fleet to simulate. */
export interface FleetOptions {
  readonly seed: number;
  readonly organizations: number;
  readonly gateways: number;
  readonly callsPerSecond: number;
  /** How many gateways the calls of one organization reach: all of them, or fewer where the balancer looks at the key. */
  readonly spread: number;
  /** Simulated seconds before anything is counted: leases that were never asked for are asked for first. */
  readonly warmUpSeconds: number;
  /** Simulated seconds that are counted. */
  readonly seconds: number;
  readonly admission: AdmissionRule;
}

/** What a fleet did. Statements are those of the counted seconds; calls and money are those of the whole run. */
export interface FleetReport {
  readonly organizations: number;
  readonly gateways: number;
  readonly calls_per_second: number;
  readonly spread: number;
  readonly calls: number;
  readonly completed: number;
  readonly refused: number;
  readonly unavailable: number;
  /** Organizations that called, and those of them that were told that their credit is not enough. */
  readonly active_organizations: number;
  readonly exhausted_organizations: number;
  readonly overspend_nanousd: number;
  /** What was charged less what the completed calls cost, which is nothing when the books are right. */
  readonly books_difference_nanousd: number;
  readonly calls_that_waited_share: number;
  readonly statements_per_second: number;
  readonly lease_statements_per_second: number;
  readonly organizations_per_lease_statement: number;
  readonly settle_statements_per_second: number;
  readonly events_per_settle_statement: number;
  readonly confirm_statements_per_second: number;
  readonly heartbeat_statements_per_second: number;
  readonly key_statements_per_second: number;
  readonly recalls_per_second: number;
  readonly elapsed_seconds: number;
}

/** Fleets as lines for people, one each. */
export function toTable(reports: readonly FleetReport[]): string {
  const lines = reports.map((report) => [
    report.organizations,
    report.gateways,
    report.spread,
    report.calls_per_second,
    report.statements_per_second,
    report.lease_statements_per_second,
    report.settle_statements_per_second,
    report.overspend_nanousd,
  ]);
  const head = ["organizations", "gateways", "for each", "calls/s", "statements/s", "lease", "settle", "overspend"];
  return [head, ...lines].map((line) => line.map((cell) => String(cell).padStart(14)).join("")).join("\n");
}
