import { bars, type Dashboard, graph, percentiles, stat } from "../panel.ts";

const failed = (matchers = "") => `sum(rate(gw_proxy_failed_requests_metric_total${matchers}[$__rate_interval]))`;
const all = "sum(rate(gw_proxy_total_requests_metric_total[$__rate_interval]))";

export const overview: Dashboard = {
  id: "overview",
  title: "Tollgate / Overview",
  description: "Is it up, is it fast, do calls succeed, and what is refused.",
  variables: [],
  rows: [
    {
      title: "Now",
      panels: [
        stat("Instances up", "none", 'sum(up{job="tollgate"})', {
          description: "Gateways that answer the scraper.",
          thresholds: [1, 1],
          isLowBad: true,
        }),
        stat("Calls", "reqps", all, { description: "Calls a second, however they ended." }),
        stat("Failing", "percentunit", `${failed('{status_code=~"5.."}')} / ${all}`, {
          description: "Share of calls that were answered with a 5xx: ours or the provider's fault.",
          thresholds: [0.01, 0.05],
        }),
        stat("Added by us, p95", "s", percentiles("gw_overhead_latency_metric").slice(1, 2), {
          description: "From the request until it was sent on.",
          thresholds: [0.05, 0.1],
        }),
        stat("Under way", "none", "sum(gw_in_flight_requests)", { description: "Calls that run at this moment." }),
        stat("Spent in an hour", "currencyUSD", "sum(increase(gw_spend_metric_total[1h]))", {
          description: "What calls of the last hour cost. The ledger has the exact amounts.",
        }),
      ],
    },
    {
      title: "Calls",
      panels: [
        graph(
          "Calls by status",
          "reqps",
          [
            {
              expression: "sum by (status_code) (rate(gw_proxy_total_requests_metric_total[$__rate_interval]))",
              legend: "{{status_code}}",
            },
          ],
          {
            description: "499 are clients that left before their answer was complete.",
            isStacked: true,
          },
        ),
        graph(
          "Refusals by code",
          "reqps",
          [{ expression: "sum by (code) (rate(gw_refused_total[$__rate_interval]))", legend: "{{code}}" }],
          {
            description: "Each code has a page in the error reference.",
            isStacked: true,
          },
        ),
        graph("Whole duration", "s", percentiles("gw_request_total_latency_metric"), {
          description:
            "From the request to the last byte. Long answers take long; compare with time to the first token.",
        }),
        graph("Added by us", "s", percentiles("gw_overhead_latency_metric"), {
          description:
            "Authentication, admission, routing and translation: everything before the provider has the request.",
        }),
        graph(
          "Rate limits",
          "reqps",
          [{ expression: "sum by (scope) (rate(gw_ratelimited_total[$__rate_interval]))", legend: "{{scope}}" }],
          {
            description: "Refused by whose limit.",
          },
        ),
        graph(
          "Waiting and refused for want of room",
          "short",
          [
            { expression: "sum(gw_waiting_requests)", legend: "waiting" },
            {
              expression: "sum by (reason) (increase(gw_overload_refusals_total[$__rate_interval]))",
              legend: "refused: {{reason}}",
            },
          ],
          { description: "Anything but zero for minutes means that more gateways are needed." },
        ),
      ],
    },
    {
      title: "By model",
      panels: [
        bars(
          "Busiest models",
          "reqps",
          [
            {
              expression: "topk(10, sum by (model) (rate(gw_requests_metric_total[$__rate_interval])))",
              legend: "{{model}}",
            },
          ],
          {
            description: "Calls a second that were accounted for.",
          },
        ),
        graph(
          "Cache hits",
          "percentunit",
          "sum(rate(gw_cache_hits_metric_total[$__rate_interval])) / (sum(rate(gw_cache_hits_metric_total[$__rate_interval])) + sum(rate(gw_cache_misses_metric_total[$__rate_interval])))",
          {
            description: "Of the calls that looked for an earlier answer.",
          },
        ),
        graph(
          "Guardrails",
          "ops",
          [
            {
              expression: "sum by (guardrail) (rate(gw_guardrail_requests_total[$__rate_interval]))",
              legend: "{{guardrail}}",
            },
            {
              expression: "sum by (guardrail) (rate(gw_guardrail_errors_total[$__rate_interval]))",
              legend: "{{guardrail}} failed",
            },
          ],
          { description: "How often each looked, and how often it could not." },
        ),
        graph(
          "Guardrail latency, p95",
          "s",
          [
            {
              expression:
                "histogram_quantile(0.95, sum by (le, guardrail) (rate(gw_guardrail_latency_seconds_bucket[$__rate_interval])))",
              legend: "{{guardrail}}",
            },
          ],
          {
            description: "It is part of what we add to a call.",
          },
        ),
      ],
    },
  ],
};
