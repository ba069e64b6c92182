import { ReadinessDetails } from "@tollgate/contracts/health.ts";
import { informationFailures } from "@tollgate/contracts/information-failures.ts";
import { VERSION } from "../../call/version.ts";
import { answerJson, type KeyedOperation } from "../api-operation.ts";
import { readReadiness } from "./health.ts";

/** Reports readiness with additional details, for callers with a key. */
export const healthDetails: KeyedOperation = {
  id: "getReadinessDetails",
  summary: "Get the details of this instance's readiness",
  tag: "health",
  method: "GET",
  paths: ["/health/readiness/details"],
  auth: "key",
  routeGroup: "information",
  billing: "free",
  bodyLimitBytes: 0,
  timeoutMs: 5_000,
  answers: {
    ...informationFailures,
    200: { description: "The instance accepts requests.", schema: ReadinessDetails },
    503: { description: "The instance does not accept requests.", schema: ReadinessDetails },
  },

  async handle(_input, { current, health }) {
    const { gateway, general } = current().settings;
    const { cache } = gateway;
    const details: ReadinessDetails = {
      ...(await readReadiness(health)),
      cache: cache.enabled ? cache.type : null,
      callbacks: [...general.alerting, ...(general.telemetry === null ? [] : ["otel"])],
      version: VERSION,
      log_level: health.logLevel,
      is_draining: health.isDraining(),
    };
    return answerJson(details, details.status === "healthy" ? 200 : 503);
  },
};
