import { type Dashboard, graph, stat, table } from "../panel.ts";

const each = (expression: string) => [{ expression, legend: "{{instance}}" }];

export const runtime: Dashboard = {
  id: "runtime",
  title: "Tollgate / Runtime",
  description: "Processes, memory, event loops, disks and what runs where.",
  variables: [],
  rows: [
    {
      title: "Processes",
      panels: [
        graph(
          "Processor cores in use",
          "short",
          each("sum by (instance) (rate(process_cpu_seconds_total[$__rate_interval]))"),
          { description: "Over all processes of an instance." },
        ),
        graph("Event loop busy", "percentunit", each("max by (instance) (nodejs_eventloop_utilization)"), {
          description: "The busiest process of an instance. From 0.9 on calls wait for each other.",
          thresholds: [0.7, 0.9],
        }),
        graph("Memory", "bytes", each("sum by (instance) (process_resident_memory_bytes)"), {
          description: "Resident, over all processes of an instance.",
        }),
        graph(
          "Heap in use",
          "percentunit",
          each("sum by (instance) (nodejs_heap_size_used_bytes) / sum by (instance) (nodejs_heap_size_limit_bytes)"),
          { description: "Of what the heaps may have.", thresholds: [0.7, 0.85] },
        ),
        graph("Calls under way", "short", each("sum by (instance) (gw_in_flight_requests)"), {
          description: "How evenly the balancer spreads them.",
        }),
        graph("Bytes that clients have not taken yet", "bytes", each("sum by (instance) (gw_unsent_bytes)"), {
          description: "Slow readers of streams.",
        }),
      ],
    },
    {
      title: "Disks and database",
      panels: [
        graph("Free on the journal's disk", "bytes", each("min by (instance) (gw_journal_free_bytes)"), {
          description: "Without room no call is made: usage must be written down first.",
        }),
        graph("Journal can be written", "none", each("min by (instance) (gw_journal_writable)"), {
          description: "0 means that calls are refused.",
          thresholds: [1, 1],
          isLowBad: true,
        }),
        graph("Database", "bytes", "max(gw_database_bytes)", { description: "Size of the whole database." }),
        graph(
          "Telemetry",
          "ops",
          [
            {
              expression: "sum by (signal, outcome) (rate(gw_telemetry_items_total[$__rate_interval]))",
              legend: "{{signal}} {{outcome}}",
            },
          ],
          { description: "Spans and metrics that went to the OpenTelemetry collector, and those that were dropped." },
        ),
      ],
    },
    {
      title: "What runs",
      panels: [
        table("Versions", "none", [{ expression: "count by (instance, version) (gw_build_info)" }], {
          description: "More than one version for long is an upgrade that has not ended.",
        }),
        table("Started", "dateTimeFromNow", [{ expression: "1000 * min by (instance) (process_start_time_seconds)" }], {
          description: "The oldest process of an instance.",
        }),
        stat("Certificate is good until", "dateTimeFromNow", "1000 * min(gw_certificate_expiry_timestamp_seconds)", {
          description: "Of the listener, where it speaks TLS itself.",
          width: 12,
        }),
        graph(
          "Responses that could not be kept",
          "short",
          "sum(increase(gw_responses_not_kept_total[$__rate_interval]))",
          { description: "They left all the same; nothing can continue them." },
        ),
      ],
    },
  ],
};
