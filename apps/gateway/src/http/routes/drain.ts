import { Failure } from "@tollgate/contracts/failures.ts";
import { Draining } from "@tollgate/contracts/health.ts";
import { informationFailures } from "@tollgate/contracts/information-failures.ts";
import { canManage } from "../../call/caller.ts";
import { answerJson, type KeyedOperation } from "../api-operation.ts";

/**
 * Starts a drain, for operators who take an instance out of service before they stop it. Readiness checks then fail, so
 * that load balancers stop sending calls, but the instance still accepts calls. Only a restart ends the drain. On the
 * machine itself, SIGUSR2 has the same effect.
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
    if (!canManage(caller, drain.paths)) {
      throw new Failure("admin_only", "Draining an instance requires an administrator's key.", {
        fix: "Use the master key, or an administrator's key whose allowed routes include management.",
      });
    }
    return answerJson({ status: "draining", in_flight: health.leave() });
  },
};
