import { bars, type Dashboard, graph, stat } from "../panel.ts";

const NANO = "1e9";

export const platform: Dashboard = {
  id: "platform",
  title: "Tollgate / Platform",
  description: "Ledger and its verification, orders, leases, blocked teams, and unsettled usage.",
  variables: [],
  rows: [
    {
      title: "Ledger",
      panels: [
        stat("Differences", "none", "max(gw_ledger_differences)", {
          description: "Differences found by the last ledger verification. Must be 0.",
          thresholds: [1, 1],
        }),
        stat("Amount", "currencyUSD", `max(gw_ledger_difference_nanousd) / ${NANO}`, {
          description: "Sum of the amounts that differ.",
          thresholds: [0.000000001, 0.000000001],
        }),
        stat("Verified", "dateTimeFromNow", "1000 * max(gw_ledger_verified_timestamp_seconds)", {
          description: "Time of the last ledger verification. It runs every night.",
        }),
        stat("Paid, not credited", "none", "sum(max by (reason) (gw_orders_paid_not_credited))", {
          description: "Payments older than 10 minutes that were not credited.",
          thresholds: [1, 1],
        }),
        stat("Parked", "none", "max(gw_parked_events)", {
          description: "Usage events that could not be settled.",
          thresholds: [1, 1],
        }),
        stat("Teams blocked", "none", "max(gw_teams_blocked)", {
          description: "Teams blocked for lack of credit or by an administrator.",
        }),
      ],
    },
    {
      title: "Unsettled usage",
      panels: [
        graph("Lag", "s", "max(gw_rollup_lag_seconds)", {
          description: "Age of the oldest usage not yet in the ledger and reports.",
          thresholds: [60, 300],
        }),
        graph("Records not yet in the ledger", "short", "sum(gw_spend_update_queue_size)", {
          description: "Stored on gateway disks. Falls to about zero between bursts.",
        }),
        graph("Undelivered events", "short", "max(gw_undelivered_events)", {
          description: "Webhooks and emails waiting for delivery.",
        }),
        graph("Queued log rows", "short", "sum(gw_log_write_queue)", {
          description: "Refused requests and stored contents. Above 1,000, rows are dropped.",
        }),
      ],
    },
    {
      title: "Orders and credit",
      panels: [
        bars("Orders by state", "none", [{ expression: "max by (state) (gw_orders)", legend: "{{state}}" }], {
          description: "Watch `review`: payments that do not match their order.",
        }),
        graph(
          "Open orders",
          "none",
          [
            {
              expression: 'max by (state) (gw_orders{state=~"pending|processing|review|disputed"})',
              legend: "{{state}}",
            },
          ],
          { description: "Pending orders are checked with the payment provider after 15 minutes." },
        ),
        graph("Credit leased by gateways", "currencyUSD", `max(gw_leased_nanousd) / ${NANO}`, {
          description: "Leased from balances in advance; it is used or returned.",
        }),
        graph("Leases by state", "none", [{ expression: "max by (state) (gw_leases)", legend: "{{state}}" }], {
          description: "Leases in the state `lapsed` have expired, because their gateway does not respond.",
        }),
        graph("Live gateways", "none", "max(gw_gateways)", {
          description: "Processes that send heartbeats to the database.",
        }),
        graph("Teams blocked over time", "none", "max(gw_teams_blocked)", {
          description: "A jump indicates a wrong price, budget, or payment.",
        }),
      ],
    },
  ],
};
