import { Failure } from "@tollgate/contracts/failures.ts";
import type { Services } from "../services.ts";
import type { GatewayRequest, GatewayResponse } from "./gateway-caller.ts";

/** Calls a gateway and returns any response. Throws UNAVAILABLE if no gateway can be reached. */
export async function callGateway(
  { gateway, logger }: Pick<Services, "gateway" | "logger">,
  request: GatewayRequest,
): Promise<GatewayResponse> {
  try {
    return await gateway.call(request);
  } catch (error) {
    if (!request.signal.aborted) logger.warn("no gateway is reachable", { error, callId: request.requestId });
    throw new Failure("UNAVAILABLE", "No gateway is available. Try again shortly.", {
      retryAfterMs: 1_000,
      cause: error,
    });
  }
}
