import { GatewayClient } from "@tollgate/sdk/gateway";
import { basePath } from "../base-path.ts";
import { sendWithSession } from "./client.ts";

/**
 * Returns a gateway client that uses one of the user's keys through the relay. The browser never has the key's secret.
 */
export function gatewayOf(keyId: string): GatewayClient {
  return new GatewayClient({
    // Use an absolute URL, because a relative URL would be resolved against the path of the current page.
    baseUrl: `${window.location.origin}${basePath}/api/gw/relay`,
    session: "cookie",
    fetch: sendWithSession,
    headers: { "x-gw-key": keyId },
    retries: 0,
  });
}
