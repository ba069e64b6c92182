import { bars, type Dashboard, graph, stat } from "../panel.ts";

const NANO = "1e9";

export const platform: Dashboard = {
  id: "platform",
  title: "Tollgate / Platform",
  description: "The books: the ledger and its proof, orders, leases, blocked teams, and usage on its way.",
  variables: [],
  rows: [
    {
      title: "Books",
      panels: [
        stat("Differences", "none", "max(gw_ledger_differences)", {
          description: "What the last proof of the books found to differ. 0 is the only good value.",
          thresholds: [1, 1],
        }),
        stat("By so much", "currencyUSD", `max(gw_ledger_difference_nanousd) / ${NANO}`, {
          description: "Where it is money that differs.",
          thresholds: [0.000000001, 0.000000001],
        }),
        stat("Proven", "dateTimeFromNow", "1000 * max(gw_ledger_proven_timestamp_seconds)", {
          description: "When the last proof ended; there is one every night.",
        }),
        stat("Paid, not credited", "none", "sum(max by (reason) (gw_orders_paid_not_credited))", {
          description: "Payments older than ten minutes that are nobody's credit.",
          thresholds: [1, 1],
        }),
        stat("Parked", "none", "max(gw_parked_events)", {
          description: "Usage that could not be settled.",
          thresholds: [1, 1],
        }),
        stat("Teams blocked", "none", "max(gw_teams_blocked)", {
          description: "Teams that may not call, for want of credit or by an administrator.",
        }),
      ],
    },
    {
      title: "Usage on its way",
      panels: [
        graph("Lag", "s", "max(gw_rollup_lag_seconds)", {
          description: "Age of the oldest usage that is not in the books and reports yet.",
          thresholds: [60, 300],
        }),
        graph("Records that the ledger does not have yet", "short", "sum(gw_spend_update_queue_size)", {
          description: "On the disks of gateways. It falls to about zero between bursts.",
        }),
        graph("Events that nobody was told of yet", "short", "max(gw_undelivered_events)", {
          description: "Webhooks and mails that wait.",
        }),
        graph("Rows for the logs that wait", "short", "sum(gw_log_write_queue)", {
          description: "Refused calls and kept contents; from 1,000 on they are forgotten.",
        }),
      ],
    },
    {
      title: "Orders and credit",
      panels: [
        bars("Orders by state", "none", [{ expression: "max by (state) (gw_orders)", legend: "{{state}}" }], {
          description: "Watch `review`: money that came and does not fit its order.",
        }),
        graph(
          "Orders under way",
          "none",
          [
            {
              expression: 'max by (state) (gw_orders{state=~"pending|processing|review|disputed"})',
              legend: "{{state}}",
            },
          ],
          { description: "Pending orders are asked about after a quarter of an hour." },
        ),
        graph("Credit that gateways hold", "currencyUSD", `max(gw_leased_nanousd) / ${NANO}`, {
          description: "Taken from balances in advance; it is used or given back.",
        }),
        graph("Leases by state", "none", [{ expression: "max by (state) (gw_leases)", legend: "{{state}}" }], {
          description: "Lapsed ones are of gateways that went silent.",
        }),
        graph("Gateways alive", "none", "max(gw_gateways)", {
          description: "Processes that send signs of life to the database.",
        }),
        graph("Teams blocked over time", "none", "max(gw_teams_blocked)", {
          description: "A jump is a price, a budget or a payment that went wrong.",
        }),
      ],
    },
  ],
};
