import type { LitellmServices } from "@tollgate/platform/litellm/litellm-operation.ts";
import { litellmOperations } from "@tollgate/platform/litellm/litellm-operations.ts";

/** The platform's operations as a gateway serves them. Tests read their descriptions and never run them. */
export const managementOperations = litellmOperations({} as LitellmServices);
