import type { AlertGroup } from "./alert.ts";

const DAY = 86_400;
const ofClass = (matcher: string) => `sum(rate(gw_proxy_total_requests_metric_total{class${matcher}}[5m]))`;
/** The error rate in `docs/reference/figures.md`. */
const errorRate = `${ofClass('="failed"')} / ${ofClass('=~"succeeded|failed"')}`;
const percentile = (histogram: string, by = "le") =>
  `histogram_quantile(0.95, sum by (${by}) (rate(${histogram}_bucket[5m])))`;

/** All alerts. The rules, the docs table and the tests are generated from them. */
export const alertGroups: readonly AlertGroup[] = [
  {
    name: "tollgate-requests",
    alerts: [
      {
        name: "TollgateDown",
        severity: "critical",
        expression: 'up{job=~"tollgate|tollgate-ledger"} == 0',
        holds: "2m",
        summary: "An instance does not respond to the scraper",
        description: "{{ $labels.instance }} ({{ $labels.job }}) has not responded for 2 minutes.",
        page: "down",
      },
      {
        name: "TollgateErrorRate",
        severity: "critical",
        expression: `${errorRate} > 0.05`,
        holds: "5m",
        summary: "The error rate exceeds 5%",
        description:
          "{{ $value | humanizePercentage }} of the requests that succeeded or failed in the last 5 minutes failed.",
        page: "error-rate",
      },
      {
        name: "TollgateLatency",
        severity: "warning",
        expression: `${percentile("gw_overhead_latency_metric")} > 0.1`,
        holds: "10m",
        summary: "Gateway overhead exceeds 100 ms",
        description: "The 95th percentile of gateway overhead is {{ $value | humanizeDuration }}.",
        page: "latency",
      },
      {
        name: "TollgateFirstTokenSlow",
        severity: "warning",
        expression: `${percentile("gw_llm_api_time_to_first_token_metric", "le, model")} > 15`,
        holds: "10m",
        summary: "A model has a high time to first token",
        description:
          "The 95th percentile of time to first token for {{ $labels.model }} is {{ $value | humanizeDuration }}.",
        page: "first-token-slow",
      },
      {
        name: "TollgateOverloaded",
        severity: "warning",
        expression: "sum by (reason) (rate(gw_overload_refusals_total[5m])) > 0",
        holds: "2m",
        summary: "Requests are refused because a gateway is at capacity",
        description: "{{ $value | humanize }} requests per second are refused: {{ $labels.reason }}.",
        page: "overloaded",
      },
    ],
  },
  {
    name: "tollgate-providers",
    alerts: [
      {
        name: "TollgateProviderDown",
        severity: "critical",
        // Only failures, or, if there is no traffic, failed health checks.
        expression:
          "(sum by (model_id) (rate(gw_deployment_failure_responses_total[5m])) > 0 unless sum by (model_id) (rate(gw_deployment_success_responses_total[5m])) > 0) or max by (model_id) (min_over_time(gw_deployment_state[5m])) == 2",
        holds: "2m",
        summary: "A deployment is not responding",
        description: "No request to {{ $labels.model_id }} succeeded in the last 5 minutes.",
        page: "provider-down",
      },
      {
        name: "TollgateModelSubstituted",
        severity: "warning",
        expression: "sum by (model_id) (increase(gw_model_substitutions_total[1h])) > 0",
        summary: "A provider serves a more expensive model than requested",
        description:
          "{{ $value | humanize }} responses from {{ $labels.model_id }} named a more expensive model within one hour.",
        page: "model-substituted",
      },
    ],
  },
  {
    name: "tollgate-ledger",
    alerts: [
      {
        name: "TollgateLedgerDifference",
        severity: "critical",
        expression: "max(gw_ledger_differences) > 0",
        summary: "The ledger is inconsistent",
        description: "The last ledger verification found {{ $value }} differences.",
        page: "ledger-difference",
      },
      {
        name: "TollgateLedgerNotVerified",
        severity: "warning",
        expression: `time() - max(gw_ledger_verified_timestamp_seconds) > ${1.5 * DAY}`,
        holds: "10m",
        summary: "The ledger was not verified last night",
        description: "The last ledger verification was {{ $value | humanizeDuration }} ago.",
        page: "ledger-not-verified",
      },
      {
        name: "TollgateOrderPaidNotCredited",
        severity: "critical",
        expression: "max by (reason) (gw_orders_paid_not_credited) > 0",
        holds: "5m",
        summary: "A payment was not credited",
        description: "{{ $value }} payments were not credited: {{ $labels.reason }}.",
        page: "order-paid-not-credited",
      },
      {
        name: "TollgateOrderInReview",
        severity: "warning",
        expression: 'max(gw_orders{state="review"}) > 0',
        holds: "5m",
        summary: "An order does not match its payment",
        description: "{{ $value }} orders need manual review.",
        page: "order-in-review",
      },
      {
        name: "TollgateRollupLag",
        severity: "warning",
        expression: "max(gw_rollup_lag_seconds) > 300",
        holds: "5m",
        summary: "Usage reaches the ledger late",
        description: "The oldest usage not yet in the ledger is {{ $value | humanizeDuration }} old.",
        page: "rollup-lag",
      },
      {
        name: "TollgateQueueGrowing",
        severity: "warning",
        expression: "sum(gw_spend_update_queue_size) > 1000 and sum(deriv(gw_spend_update_queue_size[10m])) > 0",
        holds: "5m",
        summary: "Unsettled usage is growing on gateways",
        description: "{{ $value }} records are waiting for the ledger, and the number is growing.",
        page: "queue-growing",
      },
      {
        name: "TollgateParkedEvents",
        severity: "critical",
        expression: "max(gw_parked_events) > 0",
        holds: "1m",
        summary: "Usage could not be settled",
        description: "{{ $value }} events are parked and not yet billed.",
        page: "parked-events",
      },
      {
        name: "TollgateEventsUndelivered",
        severity: "warning",
        expression: "max(gw_undelivered_events) > 1000",
        holds: "15m",
        summary: "Undelivered webhooks and emails are accumulating",
        description: "{{ $value }} events are waiting for delivery.",
        page: "events-undelivered",
      },
      {
        name: "TollgateLeasesExpired",
        severity: "warning",
        expression: 'max(gw_leases{state="lapsed"}) > 0',
        holds: "1m",
        summary: "An unresponsive gateway holds credit",
        description:
          "{{ $value }} leases have expired. Their credit is reclaimed after 15 minutes without a heartbeat.",
        page: "leases-expired",
      },
    ],
  },
  {
    name: "tollgate-storage",
    alerts: [
      {
        name: "TollgateJournalStuck",
        severity: "critical",
        expression: "min by (instance) (gw_journal_writable) == 0",
        holds: "1m",
        summary: "A gateway cannot record usage, so it refuses requests",
        description: "The journal on {{ $labels.instance }} is not writable.",
        page: "journal-stuck",
      },
      {
        name: "TollgateDiskFilling",
        severity: "warning",
        expression: `min by (instance) (gw_journal_free_bytes / gw_journal_disk_bytes) < 0.1 or (min by (instance) (predict_linear(gw_journal_free_bytes[6h], ${DAY})) < 0)`,
        holds: "15m",
        summary: "The journal disk is nearly full, or will be within a day",
        description: "Affected instance: {{ $labels.instance }}.",
        page: "disk-filling",
      },
      {
        name: "TollgateDatabaseGrowing",
        severity: "info",
        expression: `max(gw_database_bytes) > 10e9 and max(deriv(gw_database_bytes[6h])) * ${7 * DAY} > max(gw_database_bytes)`,
        holds: "1h",
        summary: "The database will double in size within a week",
        description: "Its current size is {{ $value | humanize1024 }}B.",
        page: "database-growing",
      },
      {
        name: "TollgateLogQueueFull",
        severity: "warning",
        expression: "max by (instance) (gw_log_write_queue) > 900",
        holds: "5m",
        summary: "Request logs are not written fast enough",
        description: "{{ $value }} rows are queued on {{ $labels.instance }}. Above 1,000, rows are dropped.",
        page: "log-queue-full",
      },
      {
        name: "TollgateMigrationFailed",
        severity: "critical",
        expression: "max(gw_migration_failed) > 0",
        summary: "A database migration failed",
        description: "The new release has not started. The previous release keeps running.",
        page: "migration-failed",
      },
    ],
  },
  {
    name: "tollgate-runtime",
    alerts: [
      {
        name: "TollgateCertificateExpiring",
        severity: "warning",
        expression: `min by (instance) (gw_certificate_expiry_timestamp_seconds) - time() < ${14 * DAY}`,
        holds: "1h",
        summary: "The TLS certificate expires within two weeks",
        description: "The certificate on {{ $labels.instance }} expires in {{ $value | humanizeDuration }}.",
        page: "certificate",
      },
      {
        name: "TollgateCertificateExpiringSoon",
        severity: "critical",
        expression: `min by (instance) (gw_certificate_expiry_timestamp_seconds) - time() < ${2 * DAY}`,
        holds: "5m",
        summary: "The TLS certificate expires within two days",
        description: "The certificate on {{ $labels.instance }} expires in {{ $value | humanizeDuration }}.",
        page: "certificate",
      },
      {
        name: "TollgateProcessBusy",
        severity: "warning",
        expression: "max by (instance) (avg_over_time(nodejs_eventloop_utilization[5m])) > 0.9",
        holds: "5m",
        summary: "A gateway's event loop is saturated",
        description: "{{ $labels.instance }} is busy {{ $value | humanizePercentage }} of the time.",
        page: "process-busy",
      },
      {
        name: "TollgateMemoryHigh",
        severity: "warning",
        expression:
          "sum by (instance) (nodejs_heap_size_used_bytes) / sum by (instance) (nodejs_heap_size_limit_bytes) > 0.85",
        holds: "5m",
        summary: "A gateway's memory is nearly full",
        description: "{{ $labels.instance }} uses {{ $value | humanizePercentage }} of its heap.",
        page: "memory-high",
      },
      {
        name: "TollgateMixedVersions",
        severity: "info",
        expression: "count(count by (version) (gw_build_info)) > 1",
        holds: "1h",
        summary: "An upgrade is incomplete",
        description: "{{ $value }} versions are running side by side.",
        page: "mixed-versions",
      },
      {
        name: "TollgateTelemetryDropped",
        severity: "info",
        expression: 'sum by (signal) (rate(gw_telemetry_items_total{outcome="dropped"}[5m])) > 0',
        holds: "10m",
        summary: "OpenTelemetry data is being dropped",
        description: "{{ $value | humanize }} {{ $labels.signal }} per second are dropped.",
        page: "telemetry-dropped",
      },
    ],
  },
];
