import type { CallSteps } from "../apps/gateway/src/pipeline/steps.ts";
import { chatCompletions } from "../apps/gateway/src/routes/chat-completions.ts";
import { informationOperations } from "../apps/gateway/src/routes/information-operations.ts";
import { INTERFACE_VERSION, VERSION } from "../apps/gateway/src/version.ts";
import { buildOpenApi } from "../packages/contracts/src/openapi/build-openapi.ts";

/** The published interface, as a server at the root of its address describes it. */
export function describeInterface(): object {
  // Operations are described here and never run, so they get nothing to run with.
  const inference = [chatCompletions({} as CallSteps)];
  return buildOpenApi([...inference, ...informationOperations()], {
    interfaceVersion: INTERFACE_VERSION,
    productVersion: VERSION,
    rootPath: "",
  });
}
