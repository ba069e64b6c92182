/** Synthetic series for one alert, and whether the alert fires at the given time. */
export interface RuleCase {
  readonly alert: string;
  /** In promtool's notation, with one value per step. */
  readonly series: Readonly<Record<string, string>>;
  readonly at: string;
  /** Interval between values, and between rule evaluations. */
  readonly step: "30s" | "10m";
  readonly fires: { readonly labels: Readonly<Record<string, string>>; readonly description: string } | null;
}

const DAY = 86_400;
const requests = (status: number, name: string) =>
  `gw_proxy_total_requests_metric_total{status_code="${status}",class="${name}"}`;
const succeeded = requests(200, "succeeded");

/**
 * Returns a case in which the alert fires, and one in which the series are below the threshold or above it for too
 * short a time.
 */
function both(
  alert: string,
  at: string,
  fires: RuleCase["fires"],
  bad: RuleCase["series"],
  ...good: readonly (RuleCase["series"] | { readonly at: string })[]
): readonly RuleCase[] {
  // Use long steps, because promtool would take minutes to evaluate hours of data in 30-second steps.
  const step = at.endsWith("h") ? "10m" : "30s";
  const calm = good.map((one): RuleCase => {
    const shared = { alert, step, fires: null } as const;
    return isTime(one) ? { ...shared, series: bad, at: one.at } : { ...shared, series: one, at };
  });
  return [{ alert, step, series: bad, at, fires }, ...calm];
}

function isTime(one: RuleCase["series"] | { readonly at: string }): one is { readonly at: string } {
  return Object.keys(one).length === 1 && "at" in one;
}

const bucket = (name: string, labels: string, le: string) => `${name}_bucket{${labels}le="${le}"}`;
const slow = (name: string, labels: string, fast: string, all: string, bounds: readonly [string, string]) => ({
  [bucket(name, labels, bounds[0])]: fast,
  [bucket(name, labels, bounds[1])]: all,
  [bucket(name, labels, "+Inf")]: all,
});

export const ruleCases: readonly RuleCase[] = [
  ...both(
    "TollgateDown",
    "3m",
    {
      labels: { instance: "a:4000", job: "tollgate" },
      description: "a:4000 (tollgate) has not responded for 2 minutes.",
    },
    { 'up{job="tollgate",instance="a:4000"}': "0x20" },
    { 'up{job="tollgate",instance="a:4000"}': "1x20" },
    { 'up{job="another",instance="a:4000"}': "0x20" },
    { at: "1m" },
  ),
  ...both(
    "TollgateErrorRate",
    "12m",
    {
      labels: {},
      description: "10% of the requests that succeeded or failed in the last 5 minutes failed.",
    },
    // Refused requests must not lower the rate.
    {
      [succeeded]: "0+90x40",
      [requests(429, "failed")]: "0+4x40",
      [requests(503, "failed")]: "0+6x40",
      [requests(402, "refused")]: "0+900x40",
    },
    { [succeeded]: "0+99x40", [requests(503, "failed")]: "0+1x40" },
    // Neither errors that a caller causes, nor load, nor clients that disconnect.
    {
      [succeeded]: "0+50x40",
      [requests(429, "refused")]: "0+50x40",
      [requests(503, "refused")]: "0+50x40",
      [requests(503, "rejected")]: "0+50x40",
      [requests(499, "canceled")]: "0+50x40",
    },
    { [succeeded]: "0x40", [requests(503, "failed")]: "0x40" },
    { at: "3m" },
  ),
  ...both(
    "TollgateLatency",
    "20m",
    { labels: {}, description: "The 95th percentile of gateway overhead is 230ms." },
    slow("gw_overhead_latency_metric", 'model="m",', "0+80x60", "0+100x60", ["0.05", "0.29"]),
    slow("gw_overhead_latency_metric", 'model="m",', "0+99x60", "0+100x60", ["0.05", "0.25"]),
    { at: "8m" },
  ),
  ...both(
    "TollgateFirstTokenSlow",
    "20m",
    { labels: { model: "m" }, description: "The 95th percentile of time to first token for m is 25s." },
    slow("gw_llm_api_time_to_first_token_metric", 'model="m",', "0+80x60", "0+100x60", ["10", "30"]),
    slow("gw_llm_api_time_to_first_token_metric", 'model="m",', "0+99x60", "0+100x60", ["10", "30"]),
  ),
  ...both(
    "TollgateOverloaded",
    "8m",
    { labels: { reason: "full" }, description: "1 requests per second are refused: full." },
    { 'gw_overload_refusals_total{reason="full"}': "0+30x40" },
    { 'gw_overload_refusals_total{reason="full"}': "5x40" },
  ),
  ...both(
    "TollgateProviderDown",
    "10m",
    { labels: { model_id: "a" }, description: "No request to a succeeded in the last 5 minutes." },
    {
      'gw_deployment_failure_responses_total{model_id="a",exception="X"}': "0+3x40",
      'gw_deployment_success_responses_total{model_id="a"}': "7x40",
    },
    {
      'gw_deployment_failure_responses_total{model_id="a",exception="X"}': "0+3x40",
      'gw_deployment_success_responses_total{model_id="a"}': "7+1x40",
    },
    { 'gw_deployment_state{model_id="a",provider="p"}': "2 2 2 0 2 2 2 2 2 0 2 2 2 2 2 2 0 2 2 2 2 2" },
  ),
  ...both(
    "TollgateProviderDown",
    "10m",
    { labels: { model_id: "a" }, description: "No request to a succeeded in the last 5 minutes." },
    { 'gw_deployment_state{model_id="a",provider="p"}': "2x40" },
    { 'gw_deployment_state{model_id="a",provider="p"}': "1x40" },
  ),
  ...both(
    "TollgateModelSubstituted",
    "70m",
    { labels: { model_id: "a" }, description: "120 responses from a named a more expensive model within one hour." },
    { 'gw_model_substitutions_total{model_id="a"}': "0+1x160" },
    { 'gw_model_substitutions_total{model_id="a"}': "7x160" },
  ),
  ...both(
    "TollgateLedgerDifference",
    "1m",
    { labels: {}, description: "The last ledger verification found 2 differences." },
    { gw_ledger_differences: "2x10" },
    { gw_ledger_differences: "0x10" },
    {},
  ),
  ...both(
    "TollgateLedgerNotVerified",
    "37h",
    { labels: {}, description: "The last ledger verification was 1d 13h 0m 0s ago." },
    { gw_ledger_verified_timestamp_seconds: "0x230" },
    { at: "35h" },
    { gw_ledger_verified_timestamp_seconds: "100000x230" },
  ),
  ...both(
    "TollgateOrderPaidNotCredited",
    "8m",
    { labels: { reason: "not_credited" }, description: "1 payments were not credited: not_credited." },
    { 'gw_orders_paid_not_credited{reason="not_credited"}': "1x40" },
    { 'gw_orders_paid_not_credited{reason="not_credited"}': "0x40" },
    { at: "2m" },
  ),
  ...both(
    "TollgateOrderInReview",
    "8m",
    { labels: {}, description: "3 orders need manual review." },
    { 'gw_orders{state="review"}': "3x40" },
    { 'gw_orders{state="review"}': "0x40", 'gw_orders{state="pending"}': "9x40" },
  ),
  ...both(
    "TollgateRollupLag",
    "8m",
    { labels: {}, description: "The oldest usage not yet in the ledger is 10m 0s old." },
    { gw_rollup_lag_seconds: "600x40" },
    { gw_rollup_lag_seconds: "200x40" },
    { at: "4m" },
  ),
  ...both(
    "TollgateQueueGrowing",
    "20m",
    { labels: {}, description: "6000 records are waiting for the ledger, and the number is growing." },
    { 'gw_spend_update_queue_size{instance="a"}': "2000+100x60" },
    // The backlog shrinks after a burst.
    { 'gw_spend_update_queue_size{instance="a"}': "20000-100x60" },
    { 'gw_spend_update_queue_size{instance="a"}': "0+1x60" },
  ),
  ...both(
    "TollgateParkedEvents",
    "3m",
    { labels: {}, description: "1 events are parked and not yet billed." },
    { gw_parked_events: "1x20" },
    { gw_parked_events: "0x20" },
  ),
  ...both(
    "TollgateEventsUndelivered",
    "20m",
    { labels: {}, description: "2000 events are waiting for delivery." },
    { gw_undelivered_events: "2000x60" },
    { gw_undelivered_events: "900x60" },
    { at: "10m" },
  ),
  ...both(
    "TollgateCheckpointsRefused",
    "60m",
    {
      labels: { sink: "folder" },
      description: "The folder has refused checkpoints for half an hour. They are deleted after 90 days.",
    },
    { 'gw_checkpoint_failures{sink="folder"}': "0+3x150", 'gw_checkpoint_failures{sink="webhook"}': "7x150" },
    { 'gw_checkpoint_failures{sink="folder"}': "7x150" },
    { at: "20m" },
  ),
  ...both(
    "TollgateLeasesExpired",
    "3m",
    {
      labels: {},
      description: "4 leases have expired. Their credit is reclaimed after 15 minutes without a heartbeat.",
    },
    { 'gw_leases{state="lapsed"}': "4x20" },
    { 'gw_leases{state="lapsed"}': "0x20", 'gw_leases{state="active"}': "4x20" },
  ),
  ...both(
    "TollgateJournalStuck",
    "3m",
    { labels: { instance: "a" }, description: "The journal on a is not writable." },
    { 'gw_journal_writable{instance="a"}': "0x20", 'gw_journal_writable{instance="b"}': "1x20" },
    { 'gw_journal_writable{instance="a"}': "1x20" },
  ),
  ...both(
    "TollgateDiskFilling",
    "20m",
    { labels: { instance: "a" }, description: "Affected instance: a." },
    { 'gw_journal_free_bytes{instance="a"}': "5x60", 'gw_journal_disk_bytes{instance="a"}': "100x60" },
    { 'gw_journal_free_bytes{instance="a"}': "50x60", 'gw_journal_disk_bytes{instance="a"}': "100x60" },
  ),
  ...both(
    "TollgateDiskFilling",
    "2h",
    { labels: { instance: "a" }, description: "Affected instance: a." },
    // The disk is half full, and at this rate it will be full in less than eight hours.
    { 'gw_journal_free_bytes{instance="a"}': "600000-8000x15", 'gw_journal_disk_bytes{instance="a"}': "1000000x15" },
    { 'gw_journal_free_bytes{instance="a"}': "600000-20x15", 'gw_journal_disk_bytes{instance="a"}': "1000000x15" },
  ),
  ...both(
    "TollgateDatabaseGrowing",
    "8h",
    { labels: {}, description: "Its current size is 27.25GiB." },
    { gw_database_bytes: "20000000000+192880000x60" },
    { gw_database_bytes: "20000000000+200000x60" },
    { gw_database_bytes: "20000000+400000x60" },
  ),
  ...both(
    "TollgateLogQueueFull",
    "8m",
    { labels: { instance: "a" }, description: "1000 rows are queued on a. Above 1,000, rows are dropped." },
    { 'gw_log_write_queue{instance="a"}': "1000x40" },
    { 'gw_log_write_queue{instance="a"}': "200x40" },
  ),
  ...both(
    "TollgateMigrationFailed",
    "1m",
    { labels: {}, description: "The new release has not started. The previous release keeps running." },
    { gw_migration_failed: "1x20" },
    { gw_migration_failed: "0x20" },
  ),
  ...both(
    "TollgateCertificateExpiring",
    "2h",
    { labels: { instance: "a" }, description: "The certificate on a expires in 9d 22h 0m 0s." },
    { 'gw_certificate_expiry_timestamp_seconds{instance="a"}': `${10 * DAY}x20` },
    { 'gw_certificate_expiry_timestamp_seconds{instance="a"}': `${60 * DAY}x20` },
    { at: "30m" },
  ),
  ...both(
    "TollgateCertificateExpiringSoon",
    "1h",
    { labels: { instance: "a" }, description: "The certificate on a expires in 23h 0m 0s." },
    { 'gw_certificate_expiry_timestamp_seconds{instance="a"}': `${DAY}x20` },
    { 'gw_certificate_expiry_timestamp_seconds{instance="a"}': `${10 * DAY}x20` },
  ),
  ...both(
    "TollgateProcessBusy",
    "15m",
    { labels: { instance: "a" }, description: "a is busy 95% of the time." },
    { 'nodejs_eventloop_utilization{instance="a"}': "0.95x60" },
    { 'nodejs_eventloop_utilization{instance="a"}': "0.5x60" },
  ),
  ...both(
    "TollgateMemoryHigh",
    "8m",
    { labels: { instance: "a" }, description: "a uses 90% of its heap." },
    { 'nodejs_heap_size_used_bytes{instance="a"}': "90x40", 'nodejs_heap_size_limit_bytes{instance="a"}': "100x40" },
    { 'nodejs_heap_size_used_bytes{instance="a"}': "40x40", 'nodejs_heap_size_limit_bytes{instance="a"}': "100x40" },
  ),
  ...both(
    "TollgateMixedVersions",
    "2h",
    { labels: {}, description: "2 versions are running side by side." },
    { 'gw_build_info{instance="a",version="1"}': "1x20", 'gw_build_info{instance="b",version="2"}': "1x20" },
    { 'gw_build_info{instance="a",version="2"}': "1x20", 'gw_build_info{instance="b",version="2"}': "1x20" },
    { at: "30m" },
  ),
  ...both(
    "TollgateTelemetryDropped",
    "20m",
    { labels: { signal: "spans" }, description: "1 spans per second are dropped." },
    { 'gw_telemetry_items_total{signal="spans",outcome="dropped"}': "0+30x60" },
    {
      'gw_telemetry_items_total{signal="spans",outcome="dropped"}': "0x60",
      'gw_telemetry_items_total{signal="spans",outcome="sent"}': "0+30x60",
    },
  ),
];
