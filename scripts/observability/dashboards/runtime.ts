import { type Dashboard, graph, stat, table } from "../panel.ts";

const each = (expression: string) => [{ expression, legend: "{{instance}}" }];

export const runtime: Dashboard = {
  id: "runtime",
  title: "Tollgate / Runtime",
  description: "Processes, memory, event loops, disks, and running versions.",
  variables: [],
  rows: [
    {
      title: "Processes",
      panels: [
        graph(
          "CPU cores in use",
          "short",
          each("sum by (instance) (rate(process_cpu_seconds_total[$__rate_interval]))"),
          { description: "Sum over all processes of an instance." },
        ),
        graph("Event loop utilization", "percentunit", each("max by (instance) (nodejs_eventloop_utilization)"), {
          description: "The busiest process of an instance. Above 0.9, requests wait for each other.",
          thresholds: [0.7, 0.9],
        }),
        graph("Memory", "bytes", each("sum by (instance) (process_resident_memory_bytes)"), {
          description: "Resident memory, sum over all processes of an instance.",
        }),
        graph(
          "Heap in use",
          "percentunit",
          each("sum by (instance) (nodejs_heap_size_used_bytes) / sum by (instance) (nodejs_heap_size_limit_bytes)"),
          { description: "Share of the heap limit.", thresholds: [0.7, 0.85] },
        ),
        graph("Requests in flight", "short", each("sum by (instance) (gw_in_flight_requests)"), {
          description: "Shows how evenly the load balancer distributes requests.",
        }),
        graph("Unsent bytes", "bytes", each("sum by (instance) (gw_unsent_bytes)"), {
          description: "Caused by clients that read streams slowly.",
        }),
      ],
    },
    {
      title: "Disks and database",
      panels: [
        graph("Free journal disk space", "bytes", each("min by (instance) (gw_journal_free_bytes)"), {
          description: "If the disk is full, requests are refused because usage must be recorded first.",
        }),
        graph("Journal writable", "none", each("min by (instance) (gw_journal_writable)"), {
          description: "0: requests are refused.",
          thresholds: [1, 1],
          isLowBad: true,
        }),
        graph("Database", "bytes", "max(gw_database_bytes)", { description: "Total database size." }),
        graph(
          "Telemetry",
          "ops",
          [
            {
              expression: "sum by (signal, outcome) (rate(gw_telemetry_items_total[$__rate_interval]))",
              legend: "{{signal}} {{outcome}}",
            },
          ],
          { description: "Spans and metrics exported to the OpenTelemetry collector, and those dropped." },
        ),
      ],
    },
    {
      title: "Versions and certificates",
      panels: [
        table("Versions", "none", [{ expression: "count by (instance, version) (gw_build_info)" }], {
          description: "More than one version for a long time means an upgrade is incomplete.",
        }),
        table("Started", "dateTimeFromNow", [{ expression: "1000 * min by (instance) (process_start_time_seconds)" }], {
          description: "Start time of the instance's oldest process.",
        }),
        stat("Certificate expires", "dateTimeFromNow", "1000 * min(gw_certificate_expiry_timestamp_seconds)", {
          description: "The listener's certificate, if it terminates TLS.",
          width: 12,
        }),
        graph("Responses not stored", "short", "sum(increase(gw_responses_not_stored_total[$__rate_interval]))", {
          description: "The client received them, but they cannot be continued.",
        }),
      ],
    },
  ],
};
