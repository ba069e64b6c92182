import { bars, type Dashboard, graph, stat, table } from "../panel.ts";

const chosen = '{team=~"$team", model=~"$model"}';
const perSecond = (metric: string, by: string) => `sum by (${by}) (rate(${metric}${chosen}[$__rate_interval]))`;

export const cost: Dashboard = {
  id: "cost",
  title: "Tollgate / Cost",
  description: "Spend by model and team, and remaining budgets. Counted by gateways; the ledger has the exact amounts.",
  variables: [
    { name: "team", label: "Team", metric: "gw_requests_metric_total", of: "team" },
    { name: "model", label: "Model", metric: "gw_requests_metric_total", of: "model" },
  ],
  rows: [
    {
      title: "Spend",
      panels: [
        stat("Last hour", "currencyUSD", `sum(increase(gw_spend_metric_total${chosen}[1h]))`, {
          description: "For the teams and models selected above.",
          width: 6,
        }),
        stat("Last day", "currencyUSD", `sum(increase(gw_spend_metric_total${chosen}[1d]))`, {
          description: "Counters reset when a process restarts; increase() accounts for that.",
          width: 6,
        }),
        stat("Projected per month", "currencyUSD", `sum(rate(gw_spend_metric_total${chosen}[1d])) * 30 * 86400`, {
          description: "Spend of the last day times 30.",
          width: 6,
        }),
        stat(
          "Cost per 1,000 tokens",
          "currencyUSD",
          `1000 * sum(rate(gw_spend_metric_total${chosen}[1h])) / sum(rate(gw_total_tokens_metric_total${chosen}[1h]))`,
          { description: "Average over the last hour.", width: 6 },
        ),
        graph(
          "USD per hour by model",
          "currencyUSD",
          [{ expression: `3600 * ${perSecond("gw_spend_metric_total", "model")}`, legend: "{{model}}" }],
          { description: "At the current rate.", isStacked: true },
        ),
        graph(
          "USD per hour by team",
          "currencyUSD",
          [{ expression: `3600 * ${perSecond("gw_spend_metric_total", "team")}`, legend: "{{team}}" }],
          { description: "At the current rate.", isStacked: true },
        ),
      ],
    },
    {
      title: "Tokens",
      panels: [
        graph(
          "Tokens per second",
          "short",
          [
            { expression: `sum(rate(gw_input_tokens_metric_total${chosen}[$__rate_interval]))`, legend: "prompts" },
            { expression: `sum(rate(gw_output_tokens_metric_total${chosen}[$__rate_interval]))`, legend: "answers" },
            {
              expression: `sum(rate(gw_cached_tokens_metric_total${chosen}[$__rate_interval]))`,
              legend: "cached by providers",
            },
          ],
          { description: "Cached tokens are included in prompt tokens." },
        ),
        bars(
          "Most expensive models, last 24 hours",
          "currencyUSD",
          [
            {
              expression: `topk(10, sum by (model) (increase(gw_spend_metric_total${chosen}[1d])))`,
              legend: "{{model}}",
            },
          ],
          { description: "USD in the last 24 hours." },
        ),
      ],
    },
    {
      title: "Budgets",
      panels: [
        table(
          "Remaining team budgets",
          "currencyUSD",
          [{ expression: "min by (id, alias) (gw_remaining_team_budget_metric)" }],
          { description: "Remaining USD of teams that have a budget and sent recent requests." },
        ),
        table(
          "Remaining organization budgets",
          "currencyUSD",
          [{ expression: "min by (id, alias) (gw_remaining_org_budget_metric)" }],
          { description: "Remaining USD of organizations that have a budget and sent recent requests." },
        ),
        graph(
          "Remaining share of team budgets",
          "percentunit",
          [
            {
              expression: "min by (alias) (gw_remaining_team_budget_metric / gw_team_max_budget_metric)",
              legend: "{{alias}}",
            },
          ],
          { description: "At zero, the team's requests are refused until the budget resets." },
        ),
        table(
          "Hours until team budgets reset",
          "none",
          [{ expression: "max by (id, alias) (gw_team_budget_remaining_hours_metric)" }],
          { description: "Empty for budgets without a period." },
        ),
      ],
    },
  ],
};
