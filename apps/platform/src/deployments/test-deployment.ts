import { Failure } from "@tollgate/contracts/failures.ts";
import { DeploymentTest } from "@tollgate/contracts/management/deployment.ts";
import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import Type from "typebox";
import { operation, write } from "../operation.ts";

/** Timeout, longer than the gateway's timeout for a slow provider. */
const TIMEOUT_MS = 120_000;

/**
 * Sends a minimal real call, such as a one-token chat request, to the provider. A provider error is a result, not a
 * failed request.
 */
export const testDeployment = operation({
  ...write,
  id: "testDeployment",
  summary: "Send a one-token test request to a deployment; not billed",
  tag: "admin",
  path: "/api/admin/deployments/{id}/test",
  auth: "administrator",
  scope: "own",
  idempotency: "none",
  timeoutMs: TIMEOUT_MS,
  params: Type.Object({ id: PathId }),
  answers: { 200: { description: "The test result", schema: DeploymentTest } },
  handle: async ({ params, signal }, { monitor }) => {
    const test = await monitor.test(params.id, signal);
    if (test === "unknown deployment") throw unknownObject("callable deployment");
    if (test === null) {
      throw new Failure("UNAVAILABLE", "No gateway is available. Try again shortly.", {
        retryAfterMs: 1_000,
      });
    }
    return { status: 200, body: test };
  },
});
