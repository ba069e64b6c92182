import { Failure } from "@tollgate/contracts/failures.ts";
import { Draining } from "@tollgate/contracts/health.ts";
import { answerJson, type KeyedOperation } from "../edge/rest-operation.ts";
import { informationFailures } from "./information-failures.ts";

/**
 * The first half of leaving, for whoever takes an instance out before ending it: balancers learn that it goes, and it
 * still takes calls. There is no way back but a restart. Whoever is on the machine sends SIGUSR2 instead.
 */
export const drain: KeyedOperation = {
  id: "drainInstance",
  summary: "Drain this instance",
  tag: "health",
  method: "POST",
  paths: ["/health/drain"],
  auth: "key",
  routeGroup: "information",
  billing: "free",
  bodyLimitBytes: 0,
  timeoutMs: 5_000,
  answers: {
    ...informationFailures,
    200: {
      description: "The instance reports that it is not ready, and every response closes its connection.",
      schema: Draining,
    },
  },

  handle({ caller }, { health }) {
    if (caller.role !== "proxy_admin")
      throw new Failure("admin_only", "Draining an instance requires the operator's key.");
    return answerJson({ status: "draining", in_flight: health.leave() });
  },
};
