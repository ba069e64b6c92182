import { bars, type Dashboard, graph, stat, table } from "../panel.ts";

const chosen = '{team=~"$team", model=~"$model"}';
const perSecond = (metric: string, by: string) => `sum by (${by}) (rate(${metric}${chosen}[$__rate_interval]))`;

export const cost: Dashboard = {
  id: "cost",
  title: "Tollgate / Cost",
  description:
    "What is spent, on which models, by which teams, and what is left of budgets. Counted by gateways; the ledger has the exact amounts.",
  variables: [
    { name: "team", label: "Team", metric: "gw_requests_metric_total", of: "team" },
    { name: "model", label: "Model", metric: "gw_requests_metric_total", of: "model" },
  ],
  rows: [
    {
      title: "Spending",
      panels: [
        stat("Last hour", "currencyUSD", `sum(increase(gw_spend_metric_total${chosen}[1h]))`, {
          description: "Of the teams and models that are chosen above.",
          width: 6,
        }),
        stat("Last day", "currencyUSD", `sum(increase(gw_spend_metric_total${chosen}[1d]))`, {
          description: "Counters begin anew when a process does; increase() allows for that.",
          width: 6,
        }),
        stat("At this rate, a month", "currencyUSD", `sum(rate(gw_spend_metric_total${chosen}[1d])) * 30 * 86400`, {
          description: "The last day, thirty times.",
          width: 6,
        }),
        stat(
          "A thousand tokens",
          "currencyUSD",
          `1000 * sum(rate(gw_spend_metric_total${chosen}[1h])) / sum(rate(gw_total_tokens_metric_total${chosen}[1h]))`,
          { description: "What a thousand tokens cost on average over the last hour.", width: 6 },
        ),
        graph(
          "USD an hour by model",
          "currencyUSD",
          [{ expression: `3600 * ${perSecond("gw_spend_metric_total", "model")}`, legend: "{{model}}" }],
          { description: "At the rate of the moment.", isStacked: true },
        ),
        graph(
          "USD an hour by team",
          "currencyUSD",
          [{ expression: `3600 * ${perSecond("gw_spend_metric_total", "team")}`, legend: "{{team}}" }],
          { description: "At the rate of the moment.", isStacked: true },
        ),
      ],
    },
    {
      title: "Tokens",
      panels: [
        graph(
          "Tokens a second",
          "short",
          [
            { expression: `sum(rate(gw_input_tokens_metric_total${chosen}[$__rate_interval]))`, legend: "prompts" },
            { expression: `sum(rate(gw_output_tokens_metric_total${chosen}[$__rate_interval]))`, legend: "answers" },
            {
              expression: `sum(rate(gw_cached_tokens_metric_total${chosen}[$__rate_interval]))`,
              legend: "cached by providers",
            },
          ],
          { description: "Cached tokens are a part of those of prompts." },
        ),
        bars(
          "Dearest models of the day",
          "currencyUSD",
          [
            {
              expression: `topk(10, sum by (model) (increase(gw_spend_metric_total${chosen}[1d])))`,
              legend: "{{model}}",
            },
          ],
          { description: "USD over the last 24 hours." },
        ),
      ],
    },
    {
      title: "Budgets",
      panels: [
        table(
          "Left of teams' budgets",
          "currencyUSD",
          [{ expression: "min by (id, alias) (gw_remaining_team_budget_metric)" }],
          { description: "USD that are left, of teams that have a budget and called lately." },
        ),
        table(
          "Left of organizations' budgets",
          "currencyUSD",
          [{ expression: "min by (id, alias) (gw_remaining_org_budget_metric)" }],
          { description: "USD that are left, of organizations that have a budget and called lately." },
        ),
        graph(
          "Part of teams' budgets that is left",
          "percentunit",
          [
            {
              expression: "min by (alias) (gw_remaining_team_budget_metric / gw_team_max_budget_metric)",
              legend: "{{alias}}",
            },
          ],
          { description: "At zero the team's calls are refused until the budget begins anew." },
        ),
        table(
          "Hours until teams' budgets begin anew",
          "none",
          [{ expression: "max by (id, alias) (gw_team_budget_remaining_hours_metric)" }],
          { description: "None for budgets without a period." },
        ),
      ],
    },
  ],
};
