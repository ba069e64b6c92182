import { mountOperations, type PlatformHandler } from "./http/mount.ts";
import type { Throttle } from "./http/throttle.ts";
import { managementOperations } from "./operations.ts";
import type { Services } from "./services.ts";

/** The control plane: every management operation, for a server that listens elsewhere. */
export function createPlatform(services: Services, throttle: Throttle): Promise<PlatformHandler> {
  return mountOperations(managementOperations(), services, throttle);
}
