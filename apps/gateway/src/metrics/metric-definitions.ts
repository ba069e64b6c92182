type MetricType = "counter" | "gauge" | "histogram";

/** Definition of a metric. The reference documentation is generated from it. */
export interface MetricDefinition {
  readonly type: MetricType;
  readonly labels: readonly string[];
  readonly help: string;
  /** True if the metric also has the labels that the operator enables in `metrics_labels`. */
  readonly isWide?: true;
  /** Label that must be enabled for the metric to be written, because the metric has one series per label value. */
  readonly onlyWith?: "key" | "user";
  /** How to merge the values of a gauge from several processes. Defaults to the maximum. Counters are always added. */
  readonly merge?: "sum" | "least";
}

const counter = (help: string, ...labels: readonly string[]) => ({ type: "counter", labels, help }) as const;
const gauge = (help: string, ...labels: readonly string[]) => ({ type: "gauge", labels, help }) as const;
const histogram = (help: string, ...labels: readonly string[]) => ({ type: "histogram", labels, help }) as const;
const wide = <Definition extends MetricDefinition>(definition: Definition) =>
  ({ ...definition, isWide: true }) as const;
const summed = <Definition extends MetricDefinition>(definition: Definition) =>
  ({ ...definition, merge: "sum" }) as const;
const least = <Definition extends MetricDefinition>(definition: Definition) =>
  ({ ...definition, merge: "least" }) as const;
const only = <Definition extends MetricDefinition>(label: "key" | "user", definition: Definition) =>
  ({ ...definition, onlyWith: label }) as const;

const requestLabels = ["requested_model", "team", "route", "status_code", "class", "exception_class"] as const;
const callLabels = ["model", "team"] as const;
const budgetLeft = least(gauge("Remaining budget in USD.", "id", "alias"));
const budgetWhole = gauge("Total budget in USD.", "id", "alias");
const budgetHours = gauge("Hours until the budget resets.", "id", "alias");
const leftForModel = (what: string) =>
  only("key", least(gauge(`${what} left in the current window for a key with a per-model limit.`, "key", "model")));

/** All metrics, in output order. */
export const metricDefinitions = {
  gw_proxy_total_requests_metric_total: wide(counter("Requests, by class.", ...requestLabels)),
  gw_proxy_failed_requests_metric_total: wide(counter("Requests that returned an error.", ...requestLabels)),
  gw_refused_total: counter("Requests that returned an error, by error code.", "code"),
  gw_ratelimited_total: counter("Requests refused by a rate limit, by the scope of the limit.", "scope"),
  gw_requests_metric_total: wide(counter("Requests recorded in accounting.", ...callLabels)),
  gw_input_tokens_metric_total: wide(counter("Input tokens, including cached tokens.", ...callLabels)),
  gw_output_tokens_metric_total: wide(counter("Output tokens.", ...callLabels)),
  gw_cached_tokens_metric_total: wide(counter("Input tokens read from provider caches.", ...callLabels)),
  gw_total_tokens_metric_total: wide(counter("Input and output tokens.", ...callLabels)),
  gw_spend_metric_total: wide(counter("Request cost in USD.", ...callLabels)),
  gw_request_total_latency_metric: wide(
    histogram("Seconds from the request to the end of the response.", ...callLabels),
  ),
  gw_llm_api_latency_metric: wide(histogram("Seconds spent waiting for the provider.", ...callLabels)),
  gw_llm_api_time_to_first_token_metric: wide(histogram("Seconds to the first chunk of a stream.", ...callLabels)),
  gw_overhead_latency_metric: wide(
    histogram("Seconds from receiving the request to sending it to the provider.", ...callLabels),
  ),
  gw_request_queue_time_seconds: wide(histogram("Seconds that requests waited in the queue.", ...callLabels)),
  gw_retries_total: counter("Attempts after the first, including those in other model groups."),
  gw_responses_not_stored_total: counter("Responses that could not be stored. Clients still received them."),
  gw_deployment_success_responses_total: counter("Successful attempts.", "model_id"),
  gw_deployment_failure_responses_total: counter(
    "Failed attempts, without those that an invalid request caused.",
    "model_id",
    "exception",
  ),
  gw_deployment_total_requests_total: counter("Successful and failed attempts.", "model_id"),
  gw_operator_loss_nanousd_total: counter(
    "Provider cost that the operator pays instead of a customer, in nano-USD, by reason.",
    "reason",
  ),
  gw_model_substitutions_total: counter("Responses that named a different, more expensive model.", "model_id"),
  gw_deployment_cooled_down_total: counter("Cooldowns after failures.", "model_id"),
  gw_deployment_latency_per_output_token: histogram("Seconds per output token.", "model_id"),
  gw_deployment_successful_fallbacks_total: counter("Requests served by a fallback model.", "from", "to", "exception"),
  gw_deployment_failed_fallbacks_total: counter(
    "Requests that also failed on a fallback model.",
    "from",
    "to",
    "exception",
  ),
  gw_remaining_requests_metric: least(
    gauge("Remaining requests in the provider's rate limit, as reported by the provider.", "model_id"),
  ),
  gw_remaining_tokens_metric: least(
    gauge("Remaining tokens in the provider's rate limit, as reported by the provider.", "model_id"),
  ),
  gw_deployment_state: gauge(
    "0: healthy; 1: recovering, or some requests fail; 2: in cooldown or not responding.",
    "model_id",
    "provider",
  ),
  gw_deployment_rpm_limit: gauge("Configured requests-per-minute limit for the deployment.", "model_id", "provider"),
  gw_deployment_tpm_limit: gauge("Configured tokens-per-minute limit for the deployment.", "model_id", "provider"),
  gw_remaining_api_key_requests_for_model: leftForModel("Requests"),
  gw_remaining_api_key_tokens_for_model: leftForModel("Tokens"),
  gw_remaining_api_key_budget_metric: only("key", budgetLeft),
  gw_api_key_max_budget_metric: only("key", budgetWhole),
  gw_api_key_budget_remaining_hours_metric: only("key", budgetHours),
  gw_remaining_team_budget_metric: budgetLeft,
  gw_team_max_budget_metric: budgetWhole,
  gw_team_budget_remaining_hours_metric: budgetHours,
  gw_remaining_org_budget_metric: budgetLeft,
  gw_org_max_budget_metric: budgetWhole,
  gw_org_budget_remaining_hours_metric: budgetHours,
  gw_remaining_user_budget_metric: only("user", budgetLeft),
  gw_user_max_budget_metric: only("user", budgetWhole),
  gw_user_budget_remaining_hours_metric: only("user", budgetHours),
  gw_cache_hits_metric_total: counter("Requests served from the response cache.", "model"),
  gw_cache_misses_metric_total: counter("Requests without a match in the response cache.", "model"),
  gw_guardrail_requests_total: counter("Guardrail checks.", "guardrail", "mode"),
  gw_guardrail_errors_total: counter(
    "Guardrail checks that failed. A blocked request is not a failed check.",
    "guardrail",
    "mode",
  ),
  gw_guardrail_latency_seconds: histogram("Seconds per guardrail check.", "guardrail", "mode"),
  gw_in_flight_requests: summed(gauge("Requests in flight.")),
  gw_unattended_requests: summed(gauge("Requests whose response is still being read after the client disconnected.")),
  gw_waiting_requests: summed(gauge("Requests waiting in the queue.")),
  gw_unsent_bytes: summed(gauge("Response bytes that clients have not received yet.")),
  gw_overload_refusals_total: counter("Requests refused because of overload.", "reason"),
  gw_spend_update_queue_size: summed(gauge("Usage records not yet written to the ledger.")),
  gw_journal_writable: least(gauge("0 while usage cannot be recorded, which blocks requests; otherwise 1.")),
  gw_journal_free_bytes: least(gauge("Free bytes on the journal disk.")),
  gw_journal_disk_bytes: least(gauge("Size of the journal disk in bytes.")),
  gw_log_write_queue: summed(gauge("Request log rows not yet written.")),
  gw_certificate_expiry_timestamp_seconds: least(
    gauge("Expiration time of the listener's certificate, in Unix seconds. Present only if there is a certificate."),
  ),
  gw_telemetry_items_total: counter(
    "Spans and metrics exported to the OpenTelemetry collector, by outcome.",
    "signal",
    "outcome",
  ),
  gw_build_info: gauge("Always 1. The label contains the running version.", "version"),
  process_cpu_seconds_total: counter("CPU time in seconds."),
  process_resident_memory_bytes: summed(gauge("Resident memory in bytes.")),
  process_start_time_seconds: least(gauge("Start time of the oldest process, in Unix seconds.")),
  nodejs_heap_size_used_bytes: summed(gauge("Used heap size in bytes.")),
  nodejs_heap_size_limit_bytes: summed(gauge("Heap size limit in bytes.")),
  nodejs_eventloop_utilization: gauge("Share of time that the event loop was busy since the last sample, 0 to 1."),
} as const satisfies Readonly<Record<string, MetricDefinition>>;

export type MetricName = keyof typeof metricDefinitions;
