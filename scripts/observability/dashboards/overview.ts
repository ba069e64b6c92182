import { bars, type Dashboard, graph, percentiles, stat } from "../panel.ts";

const ofClass = (matcher: string) =>
  `sum(rate(gw_proxy_total_requests_metric_total{class${matcher}}[$__rate_interval]))`;
const all = "sum(rate(gw_proxy_total_requests_metric_total[$__rate_interval]))";

export const overview: Dashboard = {
  id: "overview",
  title: "Tollgate / Overview",
  description: "Availability, latency, success rate, and refusals.",
  variables: [],
  rows: [
    {
      title: "Now",
      panels: [
        stat("Instances up", "none", 'sum(up{job="tollgate"})', {
          description: "Gateways that respond to the scraper.",
          thresholds: [1, 1],
          isLowBad: true,
        }),
        stat("Requests", "reqps", all, { description: "Requests per second, regardless of outcome." }),
        stat("Error rate", "percentunit", `${ofClass('="failed"')} / ${ofClass('=~"succeeded|failed"')}`, {
          description: "Failed requests among those that succeeded or failed. Refused and rejected ones don't count.",
          thresholds: [0.01, 0.05],
        }),
        stat("Gateway overhead, p95", "s", percentiles("gw_overhead_latency_metric").slice(1, 2), {
          description: "From receiving a request to sending it to the provider.",
          thresholds: [0.05, 0.1],
        }),
        stat("In flight", "none", "sum(gw_in_flight_requests)", { description: "Requests currently in flight." }),
        stat("Spend, last hour", "currencyUSD", "sum(increase(gw_spend_metric_total[1h]))", {
          description: "Cost of requests in the last hour. The ledger has the exact amounts.",
        }),
      ],
    },
    {
      title: "Requests",
      panels: [
        graph(
          "Requests by class",
          "reqps",
          [
            {
              expression: "sum by (class) (rate(gw_proxy_total_requests_metric_total[$__rate_interval]))",
              legend: "{{class}}",
            },
          ],
          {
            description: "Each request has exactly one class.",
            isStacked: true,
          },
        ),
        graph(
          "Errors by code",
          "reqps",
          [{ expression: "sum by (code) (rate(gw_refused_total[$__rate_interval]))", legend: "{{code}}" }],
          {
            description: "Each code has a page in the error reference.",
            isStacked: true,
          },
        ),
        graph("Total duration", "s", percentiles("gw_request_total_latency_metric"), {
          description:
            "From the request to the last byte. Long responses take longer; compare with time to first token.",
        }),
        graph("Gateway overhead", "s", percentiles("gw_overhead_latency_metric"), {
          description:
            "Authentication, admission, routing, and translation: everything before the request reaches the provider.",
        }),
        graph(
          "Rate limits",
          "reqps",
          [{ expression: "sum by (scope) (rate(gw_ratelimited_total[$__rate_interval]))", legend: "{{scope}}" }],
          {
            description: "Refusals by the owner of the limit.",
          },
        ),
        graph(
          "Queued and refused at capacity",
          "short",
          [
            { expression: "sum(gw_waiting_requests)", legend: "waiting" },
            {
              expression: "sum by (reason) (increase(gw_overload_refusals_total[$__rate_interval]))",
              legend: "refused: {{reason}}",
            },
          ],
          { description: "If this stays above zero for minutes, add gateways." },
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
            description: "Billed requests per second.",
          },
        ),
        graph(
          "Cache hits",
          "percentunit",
          "sum(rate(gw_cache_hits_metric_total[$__rate_interval])) / (sum(rate(gw_cache_hits_metric_total[$__rate_interval])) + sum(rate(gw_cache_misses_metric_total[$__rate_interval])))",
          {
            description: "Share of cache lookups.",
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
          { description: "Checks and failed checks per guardrail." },
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
            description: "Part of the gateway overhead.",
          },
        ),
      ],
    },
  ],
};
