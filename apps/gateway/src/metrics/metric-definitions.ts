export type MetricType = "counter" | "gauge" | "histogram";

/** What there is to say about a metric besides its values. The reference is made from this. */
export interface MetricDefinition {
  readonly type: MetricType;
  readonly labels: readonly string[];
  readonly help: string;
  /** Whether it has the labels besides that the operator asked for in `metrics_labels`. */
  readonly isWide?: true;
  /** The label without which it is not told at all, for it has one series for each of them. */
  readonly onlyWith?: "key" | "user";
  /** How a gauge of several processes is told as one; of what nothing is said here, the most. Counts are added up. */
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

const requestLabels = ["requested_model", "team", "route", "status_code", "exception_class"] as const;
const callLabels = ["model", "team"] as const;
const budgetLeft = least(gauge("USD that are left of a budget.", "id", "alias"));
const budgetWhole = gauge("USD of a budget.", "id", "alias");
const budgetHours = gauge("Hours until a budget begins anew.", "id", "alias");
const leftForModel = (what: string) =>
  only(
    "key",
    least(gauge(`${what} that a key with a limit for a model has left of it in this window.`, "key", "model")),
  );

/** Every metric, in the order they are told. */
export const metricDefinitions = {
  gw_proxy_total_requests_metric_total: wide(counter("Calls, however they ended.", ...requestLabels)),
  gw_proxy_failed_requests_metric_total: wide(counter("Calls that were answered with an error.", ...requestLabels)),
  gw_refused_total: counter("Calls that were answered with an error, by its code.", "code"),
  gw_ratelimited_total: counter("Calls that a rate limit refused, by whose limit it was.", "scope"),
  gw_requests_metric_total: wide(counter("Calls that were accounted for.", ...callLabels)),
  gw_input_tokens_metric_total: wide(counter("Tokens of prompts, cached ones included.", ...callLabels)),
  gw_output_tokens_metric_total: wide(counter("Tokens of answers.", ...callLabels)),
  gw_cached_tokens_metric_total: wide(counter("Tokens of prompts that providers had cached.", ...callLabels)),
  gw_total_tokens_metric_total: wide(counter("Tokens.", ...callLabels)),
  gw_spend_metric_total: wide(counter("What calls cost, in USD.", ...callLabels)),
  gw_request_total_latency_metric: wide(histogram("Seconds from the request to the end of the answer.", ...callLabels)),
  gw_llm_api_latency_metric: wide(histogram("Seconds that the provider took.", ...callLabels)),
  gw_llm_api_time_to_first_token_metric: wide(histogram("Seconds to the first piece of a stream.", ...callLabels)),
  gw_overhead_latency_metric: wide(histogram("Seconds from the request until it was sent on.", ...callLabels)),
  gw_request_queue_time_seconds: wide(histogram("Seconds that calls waited for their turn.", ...callLabels)),
  gw_retries_total: counter("Attempts of calls after their first, other groups included."),
  gw_responses_not_kept_total: counter("Responses that should have been kept and were not; they left all the same."),
  gw_deployment_success_responses_total: counter("Answers.", "model_id"),
  gw_deployment_failure_responses_total: counter("Attempts that failed.", "model_id", "exception"),
  gw_deployment_total_requests_total: counter("Attempts.", "model_id"),
  gw_operator_loss_nanousd_total: counter(
    "Provider cost that the operator pays instead of a customer, in nano-USD, by the reason.",
    "reason",
  ),
  gw_model_substitutions_total: counter("Responses that named another model, which costs more.", "model_id"),
  gw_deployment_cooled_down_total: counter("Rests after failures.", "model_id"),
  gw_deployment_latency_per_output_token: histogram("Seconds for each token of an answer.", "model_id"),
  gw_deployment_successful_fallbacks_total: counter("Calls that another model answered.", "from", "to", "exception"),
  gw_deployment_failed_fallbacks_total: counter(
    "Calls that another model did not answer either.",
    "from",
    "to",
    "exception",
  ),
  gw_remaining_requests_metric: least(gauge("What the provider says is left of its limit of requests.", "model_id")),
  gw_remaining_tokens_metric: least(gauge("What the provider says is left of its limit of tokens.", "model_id")),
  gw_deployment_state: gauge(
    "0: it answers; 1: it is tried out again, or some of its calls fail; 2: it rests or does not answer.",
    "model_id",
    "provider",
  ),
  gw_deployment_rpm_limit: gauge("Requests a minute that a deployment may get.", "model_id", "provider"),
  gw_deployment_tpm_limit: gauge("Tokens a minute that a deployment may get.", "model_id", "provider"),
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
  gw_cache_hits_metric_total: counter("Calls that the answer of an earlier call answered.", "model"),
  gw_cache_misses_metric_total: counter("Calls that looked for the answer of an earlier one in vain.", "model"),
  gw_guardrail_requests_total: counter("How often a guardrail looked.", "guardrail", "mode"),
  gw_guardrail_errors_total: counter("How often it could not: blocking is no error.", "guardrail", "mode"),
  gw_guardrail_latency_seconds: histogram("Seconds that a guardrail took.", "guardrail", "mode"),
  gw_in_flight_requests: summed(gauge("Calls under way.")),
  gw_unattended_requests: summed(gauge("Requests that are read to their end after the client has disconnected.")),
  gw_waiting_requests: summed(gauge("Calls that wait for their turn.")),
  gw_unsent_bytes: summed(gauge("Bytes of answers that clients have not taken yet.")),
  gw_overload_refusals_total: counter("Requests refused because there was too much to do.", "reason"),
  gw_spend_update_queue_size: summed(gauge("Records of usage that the ledger does not have yet.")),
  gw_journal_writable: least(gauge("0 while usage cannot be written down, so that no call may be made.")),
  gw_journal_free_bytes: least(gauge("Bytes that are free on the disk of the journal.")),
  gw_journal_disk_bytes: least(gauge("Bytes that the disk of the journal has.")),
  gw_log_write_queue: summed(gauge("Rows for the logs of calls that are not written yet.")),
  gw_certificate_expiry_timestamp_seconds: least(
    gauge("Until when the certificate of the listener is good, in Unix seconds. Only where there is one."),
  ),
  gw_telemetry_items_total: counter("Spans and metrics for the OpenTelemetry collector.", "signal", "outcome"),
  gw_build_info: gauge("Always 1; says what runs.", "version"),
  process_cpu_seconds_total: counter("Seconds of processor time."),
  process_resident_memory_bytes: summed(gauge("Bytes of memory in use.")),
  process_start_time_seconds: least(gauge("When the oldest of the processes started, in Unix seconds.")),
  nodejs_heap_size_used_bytes: summed(gauge("Bytes in use on the heap.")),
  nodejs_heap_size_limit_bytes: summed(gauge("Bytes that the heap may have.")),
  nodejs_eventloop_utilization: gauge("Part of the time that the event loop was busy since the last look, 0 to 1."),
} as const satisfies Readonly<Record<string, MetricDefinition>>;

export type MetricName = keyof typeof metricDefinitions;
