import type { IncomingMessage } from "node:http";
import { createClientAddressReader } from "@tollgate/domain/client-address.ts";
import type { Origin } from "../caller.ts";
import type { Services } from "../services.ts";

const MAX_USER_AGENT = 400;

/**
 * Creates a function that reads the origin of a request. The function parses the trusted proxies once per settings
 * version.
 */
export function createOriginReader(services: Services): (request: IncomingMessage, requestId: string) => Origin {
  let { trustedProxies } = services.settings();
  let readAddress = createClientAddressReader(trustedProxies);
  return (request, requestId) => {
    const current = services.settings().trustedProxies;
    if (current !== trustedProxies) {
      trustedProxies = current;
      readAddress = createClientAddressReader(current);
    }
    return {
      ip: readAddress(request.socket.remoteAddress ?? "", lastOf(request.headers["x-forwarded-for"])),
      userAgent: request.headers["user-agent"]?.slice(0, MAX_USER_AGENT) ?? null,
      requestId,
    };
  };
}

/** Returns the value of a header. If the header occurs several times, returns the last value. */
export function lastOf(value: string | string[] | undefined): string | null {
  if (value === undefined) return null;
  return Array.isArray(value) ? (value.at(-1) ?? null) : value;
}
