import { bars, type Dashboard, graph, percentiles, table } from "../panel.ts";

const of = (metric: string, by = "model_id") => `sum by (${by}) (rate(${metric}[$__rate_interval]))`;

export const providers: Dashboard = {
  id: "providers",
  title: "Tollgate / Providers",
  description: "Which deployments answer, how fast, what fails and where calls go instead.",
  variables: [],
  rows: [
    {
      title: "Health",
      panels: [
        table("State of deployments", "none", [{ expression: "max by (model_id, provider) (gw_deployment_state)" }], {
          description: "0: it answers; 1: some calls fail, or it is tried out again; 2: it rests or does not answer.",
          thresholds: [1, 2],
        }),
        graph(
          "Attempts that fail",
          "percentunit",
          [
            {
              expression: `${of("gw_deployment_failure_responses_total")} / ${of("gw_deployment_total_requests_total")}`,
              legend: "{{model_id}}",
            },
          ],
          { description: "Of the attempts at each deployment.", thresholds: [0.05, 0.5] },
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
              "AuthenticationError and RateLimitError are for the operator to mend; the others are the provider's.",
          },
        ),
        graph(
          "Rests",
          "short",
          [
            {
              expression: "sum by (model_id) (increase(gw_deployment_cooled_down_total[$__rate_interval]))",
              legend: "{{model_id}}",
            },
          ],
          { description: "How often a deployment was left alone after failures." },
        ),
      ],
    },
    {
      title: "Speed",
      panels: [
        graph("Provider's time", "s", percentiles("gw_llm_api_latency_metric"), {
          description: "From sending a request on to the end of its answer.",
        }),
        graph(
          "Time to the first token, p95",
          "s",
          [
            {
              expression:
                "histogram_quantile(0.95, sum by (le, model) (rate(gw_llm_api_time_to_first_token_metric_bucket[$__rate_interval])))",
              legend: "{{model}}",
            },
          ],
          { description: "Of streams." },
        ),
        graph(
          "Seconds for each token, p95",
          "s",
          [
            {
              expression:
                "histogram_quantile(0.95, sum by (le, model_id) (rate(gw_deployment_latency_per_output_token_bucket[$__rate_interval])))",
              legend: "{{model_id}}",
            },
          ],
          { description: "Of whole answers; tells a slow provider from long answers." },
        ),
        bars(
          "Calls by deployment",
          "reqps",
          [{ expression: of("gw_deployment_success_responses_total"), legend: "{{model_id}}" }],
          { description: "Where answers come from." },
        ),
      ],
    },
    {
      title: "Instead",
      panels: [
        graph("Retries", "ops", of("gw_retries_total", "job"), { description: "Attempts after the first of a call." }),
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
          { description: "Calls that another model answered, or did not." },
        ),
        graph(
          "Left of providers' limits",
          "short",
          [
            { expression: "min by (model_id) (gw_remaining_requests_metric)", legend: "{{model_id}} requests" },
            { expression: "min by (model_id) (gw_remaining_tokens_metric)", legend: "{{model_id}} tokens" },
          ],
          { description: "As the providers' own headers say." },
        ),
        table(
          "Our limits of deployments",
          "short",
          [
            { expression: "max by (model_id, provider) (gw_deployment_rpm_limit)" },
            { expression: "max by (model_id, provider) (gw_deployment_tpm_limit)" },
          ],
          { description: "Requests and tokens a minute, where the settings have them." },
        ),
      ],
    },
  ],
};
