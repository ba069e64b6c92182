/** What there is to say about a metric of the books besides its values. All of them are gauges. */
export interface BookMetricDefinition {
  readonly help: string;
  readonly labels: readonly string[];
}

const gauge = (help: string, ...labels: readonly string[]): BookMetricDefinition => ({ help, labels });

/** Every metric of the books, in the order they are told. The reference is made from this. */
export const bookMetricDefinitions = {
  gw_teams_blocked: gauge("Teams that may not call."),
  gw_orders: gauge("Purchases by state.", "state"),
  gw_orders_paid_not_credited: gauge(
    "Payments older than ten minutes that are nobody's credit: those of a purchase that has none, and those of a purchase nobody knows.",
    "reason",
  ),
  gw_leased_nanousd: gauge("Credit that gateways hold in advance."),
  gw_ledger_operator_loss_nanousd: gauge(
    "What the operator has paid for requests that no customer pays for, by the loss account.",
  ),
  gw_leases: gauge("Leases of credit by state; lapsed ones are of gateways that went silent.", "state"),
  gw_gateways: gauge("Gateway processes that send signs of life."),
  gw_rollup_lag_seconds: gauge("Age of the oldest usage that a gateway has and the books and reports have not."),
  gw_parked_events: gauge("Usage that could not be settled and waits for somebody."),
  gw_undelivered_events: gauge("Events that nobody was told of yet."),
  gw_database_bytes: gauge("Size of the database."),
  gw_migration_failed: gauge("1 while the last attempt to migrate the database failed."),
  gw_ledger_differences: gauge("What the last proof of the books found to differ; 0 is the only good value."),
  gw_ledger_difference_nanousd: gauge("By how much what the last proof listed differs, where it is money."),
  gw_ledger_proven_timestamp_seconds: gauge("When the last proof of the books ended."),
} as const satisfies Readonly<Record<string, BookMetricDefinition>>;

export type BookMetricName = keyof typeof bookMetricDefinitions;
