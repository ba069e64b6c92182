import type { RequestHandler } from "@tollgate/runtime/operations/serve-operations.ts";
import { mountOperations } from "./http/mount.ts";
import type { Throttle } from "./http/throttle.ts";
import { managementOperations } from "./operations.ts";
import type { Services } from "./services.ts";

/** Creates the control plane with all management operations. It doesn't listen on a port. */
export function createPlatform(services: Services, throttle: Throttle): Promise<RequestHandler> {
  return mountOperations(managementOperations(), services, throttle);
}
