import { Failure } from "@tollgate/contracts/failures.ts";
import type { GuardedOperation } from "../edge/rest-operation.ts";
import { isAdministrator } from "../model-list/model-view.ts";
import { informationFailures } from "./information-failures.ts";

/** What this gateway has done. It tells of every team, so a key needs to be an administrator's or made for it. */
export const metrics: GuardedOperation = {
  id: "getMetrics",
  summary: "Read the metrics",
  tag: "health",
  method: "GET",
  paths: ["/metrics"],
  auth: "key",
  routeGroup: "information",
  billing: "free",
  bodyLimitBytes: 0,
  timeoutMs: 30_000,
  answers: {
    ...informationFailures,
    200: { description: "The metrics in Prometheus' text form.", contentType: "text/plain" },
  },

  needsKey: ({ general }) => general.requireAuthForMetrics,

  async handle({ caller }, { writeMetrics }) {
    if (caller !== null && !isAdministrator(caller) && !caller.allowedRoutes?.includes("/metrics")) {
      throw new Failure("admin_only", "The metrics tell of every team: this needs an administrator's key.", {
        fix: "Use an administrator's key, or one whose allowed routes name /metrics.",
      });
    }
    const headers = { "content-type": "text/plain; version=0.0.4; charset=utf-8" };
    return { status: 200, headers, content: await writeMetrics() };
  },
};
