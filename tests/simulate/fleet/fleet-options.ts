import type { AdmissionRule } from "@tollgate/domain/credit/admission.ts";

/** Parameters of one simulated fleet. */
export interface FleetOptions {
  readonly seed: number;
  readonly organizations: number;
  readonly gateways: number;
  readonly callsPerSecond: number;
  /** Number of gateways that an organization's calls reach: all, or fewer if the load balancer routes by key. */
  readonly spread: number;
  /**
   * Number of simulated seconds before the measurement starts. The gateways request their first leases during this
   * time.
   */
  readonly warmUpSeconds: number;
  /** Number of simulated seconds that are measured. */
  readonly seconds: number;
  readonly admission: AdmissionRule;
}

export type StatementPurpose = "lease" | "settle" | "confirm" | "heartbeat" | "key" | "feed";

/** Results of a fleet. Statement counts cover only the measured seconds. Calls and amounts cover the whole run. */
export interface FleetReport {
  readonly organizations: number;
  readonly gateways: number;
  readonly calls_per_second: number;
  readonly spread: number;
  readonly calls: number;
  readonly completed: number;
  readonly refused: number;
  readonly unavailable: number;
  /** Number of organizations that made calls, and number of organizations that were refused for lack of credit. */
  readonly active_organizations: number;
  readonly exhausted_organizations: number;
  readonly overspend_nanousd: number;
  /** Total charge minus the cost of completed calls; zero if the ledger is correct. */
  readonly books_difference_nanousd: number;
  readonly calls_that_waited_share: number;
  readonly statements_per_second: number;
  /** Statements per call, by what they are for. */
  readonly statements_per_call: Readonly<Record<StatementPurpose | "all", number>>;
  readonly lease_statements_per_second: number;
  /** Requests of organizations in lease statements, by their cause. */
  readonly lease_requests_per_second: {
    readonly for_holds: number;
    readonly to_return: number;
    readonly to_refill: number;
    readonly without_credit: number;
  };
  readonly organizations_per_lease_statement: number;
  readonly settle_statements_per_second: number;
  readonly events_per_settle_statement: number;
  readonly confirm_statements_per_second: number;
  readonly heartbeat_statements_per_second: number;
  readonly key_statements_per_second: number;
  readonly feed_statements_per_second: number;
  readonly recalls_per_second: number;
  readonly elapsed_seconds: number;
}

/** Formats the results as a table, with one line per fleet. */
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
