import { GatewayClient } from "@tollgate/sdk/gateway";
import { basePath } from "../base-path.ts";
import { sendWithSession } from "./client.ts";

/** The gateway as one of the person's keys sees it. The relay knows the key's secret; the browser never does. */
export function gatewayOf(keyId: string): GatewayClient {
  return new GatewayClient({
    // From the root of the host: a page below another path would otherwise be the base of it.
    baseUrl: `${window.location.origin}${basePath}/api/gw/relay`,
    session: "cookie",
    fetch: sendWithSession,
    headers: { "x-gw-key": keyId },
    retries: 0,
  });
}
