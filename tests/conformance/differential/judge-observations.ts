import type { Report } from "@tollgate/testkit/report.ts";
import { SCRIPTED_GROUP, SCRIPTED_MODEL, UPSTREAM_KEY } from "../stage/served-groups.ts";
import type { Stage } from "../stage/start-stage.ts";
import { compareObservations } from "./compare-observations.ts";
import type { Observation, Target } from "./observation.ts";
import { scenarios } from "./scenarios.ts";

/** Returns the two endpoints to compare: the upstream itself, and the gateway in front of it. */
export function describeTargets({ tollgate, upstream }: Stage): Readonly<Record<Observation["side"], Target>> {
  return {
    direct: { baseUrl: `${upstream.origin}/v1`, apiKey: UPSTREAM_KEY, model: SCRIPTED_MODEL },
    through: { baseUrl: `${tollgate.baseUrl}/v1`, apiKey: tollgate.apiKey, model: SCRIPTED_GROUP },
  };
}

/** Reports for each scenario whether a client could distinguish the two sides. */
export function judgeObservations(
  sdk: "node" | "python",
  observations: readonly Observation[],
  stage: Stage,
  report: Report,
): void {
  for (const { name } of scenarios) {
    const problem = compareObservations(sdk, name, observations, stage.upstream.requests);
    report.record("differential", `${sdk}: ${name}`, problem);
  }
}
