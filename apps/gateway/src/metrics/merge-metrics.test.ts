import { expect, test } from "vitest";
import { mergeMetrics } from "./merge-metrics.ts";

const page = (lines: string) => `${lines.trim().replaceAll(/\n\s+/g, "\n")}\n`;

test("sums the metrics of several processes and takes the minimum of remaining limits", () => {
  const one = page(`
    # HELP a_total A.
    # TYPE a_total counter
    a_total{model="x y",team=""} 2
    a_total{model="z",team=""} 1
    # HELP gw_remaining_tokens_metric Left.
    # TYPE gw_remaining_tokens_metric gauge
    gw_remaining_tokens_metric{model_id="m"} 70
    # HELP gw_deployment_state State.
    # TYPE gw_deployment_state gauge
    gw_deployment_state{model_id="m"} 2
    # HELP gw_in_flight_requests Calls.
    # TYPE gw_in_flight_requests gauge
    gw_in_flight_requests 3`);
  const other = page(`
    # HELP a_total A.
    # TYPE a_total counter
    a_total{model="x y",team=""} 5
    # HELP gw_remaining_tokens_metric Left.
    # TYPE gw_remaining_tokens_metric gauge
    gw_remaining_tokens_metric{model_id="m"} 60
    # HELP gw_deployment_state State.
    # TYPE gw_deployment_state gauge
    gw_deployment_state{model_id="m"} 0
    # HELP gw_in_flight_requests Calls.
    # TYPE gw_in_flight_requests gauge
    gw_in_flight_requests 1`);
  const merged = one.replace('team=""} 2', 'team=""} 7').replace("} 70", "} 60").replace("requests 3", "requests 4");
  expect(mergeMetrics([one, other])).toBe(merged);
  expect(mergeMetrics([one])).toBe(one);
});
