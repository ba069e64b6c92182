import type { CallSteps } from "../apps/gateway/src/pipeline/steps.ts";
import { inferenceOperations } from "../apps/gateway/src/routes/inference-operations.ts";
import { informationOperations } from "../apps/gateway/src/routes/information-operations.ts";
import type { UtilityContext } from "../apps/gateway/src/routes/utility-operation.ts";
import { utilityOperations } from "../apps/gateway/src/routes/utility-operations.ts";
import { INTERFACE_VERSION, VERSION } from "../apps/gateway/src/version.ts";
import { buildOpenApi } from "../packages/contracts/src/openapi/build-openapi.ts";

/** Returns the published API description of a server at the root path. */
export function describeInterface(): object {
  // Operations are only described, never run, so they need no dependencies.
  const steps = {} as CallSteps;
  const utilities = utilityOperations({ steps } as UtilityContext);
  return buildOpenApi([...inferenceOperations(steps), ...utilities, ...informationOperations()], {
    interfaceVersion: INTERFACE_VERSION,
    productVersion: VERSION,
    rootPath: "",
  });
}
