import { bars, type Dashboard, graph, percentiles, table } from "../panel.ts";

const of = (metric: string, by = "model_id") => `sum by (${by}) (rate(${metric}[$__rate_interval]))`;

export const providers: Dashboard = {
  id: "providers",
  title: "Tollgate / Providers",
  description: "Deployment health, latency, failures, and fallbacks.",
  variables: [],
  rows: [
    {
      title: "Health",
      panels: [
        table("Deployment state", "none", [{ expression: "max by (model_id, provider) (gw_deployment_state)" }], {
          description: "0: healthy; 1: some requests fail, or it is being probed; 2: in cooldown or not responding.",
          thresholds: [1, 2],
        }),
        graph(
          "Failed attempts",
          "percentunit",
          [
            {
              expression: `${of("gw_deployment_failure_responses_total")} / ${of("gw_deployment_total_requests_total")}`,
              legend: "{{model_id}}",
            },
          ],
          { description: "Share of attempts per deployment.", thresholds: [0.05, 0.5] },
        ),
        graph(
          "Failures by kind",
          "ops",
          [
            {
              expression: of("gw_deployment_failure_responses_total", "model_id, exception"),
              legend: "{{model_id}} {{exception}}",
            },
          ],
          {
            description:
              "AuthenticationError and RateLimitError need the operator to act; the others are provider failures.",
          },
        ),
        graph(
          "Cooldowns",
          "short",
          [
            {
              expression: "sum by (model_id) (increase(gw_deployment_cooled_down_total[$__rate_interval]))",
              legend: "{{model_id}}",
            },
          ],
          { description: "Number of times a deployment entered cooldown after failures." },
        ),
      ],
    },
    {
      title: "Speed",
      panels: [
        graph("Provider's time", "s", percentiles("gw_llm_api_latency_metric"), {
          description: "From sending a request to the provider to the end of the response.",
        }),
        graph(
          "Time to first token, p95",
          "s",
          [
            {
              expression:
                "histogram_quantile(0.95, sum by (le, model) (rate(gw_llm_api_time_to_first_token_metric_bucket[$__rate_interval])))",
              legend: "{{model}}",
            },
          ],
          { description: "Streaming requests only." },
        ),
        graph(
          "Seconds per token, p95",
          "s",
          [
            {
              expression:
                "histogram_quantile(0.95, sum by (le, model_id) (rate(gw_deployment_latency_per_output_token_bucket[$__rate_interval])))",
              legend: "{{model_id}}",
            },
          ],
          { description: "For complete responses; distinguishes slow providers from long responses." },
        ),
        bars(
          "Requests by deployment",
          "reqps",
          [{ expression: of("gw_deployment_success_responses_total"), legend: "{{model_id}}" }],
          { description: "Deployments that served the responses." },
        ),
      ],
    },
    {
      title: "Retries and fallbacks",
      panels: [
        graph("Retries", "ops", of("gw_retries_total", "job"), {
          description: "Attempts after the first one of a request.",
        }),
        graph(
          "Fallbacks",
          "ops",
          [
            { expression: of("gw_deployment_successful_fallbacks_total", "from, to"), legend: "{{from}} → {{to}}" },
            {
              expression: of("gw_deployment_failed_fallbacks_total", "from, to"),
              legend: "{{from}} → {{to}} failed too",
            },
          ],
          { description: "Requests sent to a fallback model, by outcome." },
        ),
        graph(
          "Remaining provider limits",
          "short",
          [
            { expression: "min by (model_id) (gw_remaining_requests_metric)", legend: "{{model_id}} requests" },
            { expression: "min by (model_id) (gw_remaining_tokens_metric)", legend: "{{model_id}} tokens" },
          ],
          { description: "As reported in provider response headers." },
        ),
        table(
          "Configured deployment limits",
          "short",
          [
            { expression: "max by (model_id, provider) (gw_deployment_rpm_limit)" },
            { expression: "max by (model_id, provider) (gw_deployment_tpm_limit)" },
          ],
          { description: "Requests and tokens per minute, if configured." },
        ),
      ],
    },
  ],
};
