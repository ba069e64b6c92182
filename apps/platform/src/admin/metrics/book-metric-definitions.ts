/** Help text and labels of a ledger metric. All ledger metrics are gauges. */
export interface BookMetricDefinition {
  readonly help: string;
  readonly labels: readonly string[];
}

const gauge = (help: string, ...labels: readonly string[]): BookMetricDefinition => ({ help, labels });

/** All ledger metrics in output order. The reference is generated from this list. */
export const bookMetricDefinitions = {
  gw_teams_blocked: gauge("Blocked teams."),
  gw_orders: gauge("Purchases by state.", "state"),
  gw_orders_paid_not_credited: gauge(
    "Payments older than 10 minutes that were not credited, because the purchase has no credit entry or is unknown.",
    "reason",
  ),
  gw_leased_nanousd: gauge("Credit leased by gateways in advance."),
  gw_ledger_operator_loss_nanousd: gauge("Cost of requests that the operator absorbed, from the loss account."),
  gw_leases: gauge("Credit leases by state. A lease is `lapsed` after its gateway stops sending heartbeats.", "state"),
  gw_gateways: gauge("Gateway processes that send heartbeats."),
  gw_rollup_lag_seconds: gauge("Age of the oldest gateway usage record that is not yet in the ledger and reports."),
  gw_parked_events: gauge("Usage events that could not be settled and need attention."),
  gw_undelivered_events: gauge("Events not yet delivered by webhook or email."),
  gw_checkpoint_lag_seconds: gauge("Age of the oldest ledger checkpoint that a folder or webhook did not get yet."),
  gw_checkpoint_failures: gauge("Failed attempts to write or post ledger checkpoints.", "sink"),
  gw_checkpoints_dropped: gauge(
    "Ledger checkpoints that were deleted because the sink refused them for 90 days.",
    "sink",
  ),
  gw_database_bytes: gauge("Database size."),
  gw_migration_failed: gauge("1 if the last database migration failed."),
  gw_ledger_differences: gauge("Differences found by the last ledger verification. Must be 0."),
  gw_ledger_difference_nanousd: gauge("Sum of the amounts that differ in the last ledger verification."),
  gw_ledger_verified_timestamp_seconds: gauge("Time when the last ledger verification finished."),
} as const satisfies Readonly<Record<string, BookMetricDefinition>>;

export type BookMetricName = keyof typeof bookMetricDefinitions;
