import { INTERFACE_VERSION, VERSION } from "../apps/gateway/src/call/version.ts";
import { inferenceOperations } from "../apps/gateway/src/http/routes/inference-operations.ts";
import { informationOperations } from "../apps/gateway/src/http/routes/information-operations.ts";
import type { UtilityContext } from "../apps/gateway/src/http/routes/utility-operation.ts";
import { utilityOperations } from "../apps/gateway/src/http/routes/utility-operations.ts";
import type { CallSteps } from "../apps/gateway/src/pipeline/steps.ts";
import type { LitellmServices } from "../apps/platform/src/litellm/litellm-operation.ts";
import { litellmOperations } from "../apps/platform/src/litellm/litellm-operations.ts";
import { buildOpenApi } from "../packages/contracts/src/openapi/build-openapi.ts";
import { gatewayApi } from "../packages/contracts/src/openapi/gateway-api.ts";

/** Returns the published API description of a server at the root path. */
export function describeInterface(): object {
  // Operations are only described, never run, so they need no dependencies.
  const steps = {} as CallSteps;
  const management = litellmOperations({} as LitellmServices);
  const utilities = utilityOperations({ steps } as UtilityContext);
  return buildOpenApi(gatewayApi, [...inferenceOperations(steps), ...utilities, ...informationOperations(management)], {
    interfaceVersion: INTERFACE_VERSION,
    productVersion: VERSION,
    rootPath: "",
  });
}
