import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";

const MAX_TEMPERATURE = 1;

/** Sampling parameters. */
interface Sampling {
  readonly temperature?: number;
  readonly top_p?: number;
}

/**
 * Translates temperature and top_p. Out-of-range values are clamped if parameters may be dropped, and rejected
 * otherwise.
 */
export function toSampling(
  { temperature, top_p: topP }: Pick<ChatRequest, "temperature" | "top_p">,
  thinks: boolean,
  dropsParams: boolean,
): Sampling {
  if (!dropsParams) {
    if (temperature != null && temperature > MAX_TEMPERATURE)
      throw unfit("This model requires a temperature from 0 to 1.");
    if (temperature != null && temperature !== 1 && thinks) {
      throw unfit("Thinking requires a temperature of 1.");
    }
    return { ...(temperature != null && { temperature }), ...(topP != null && { top_p: topP }) };
  }
  if (temperature == null || thinks) return topP == null || thinks ? {} : { top_p: topP };
  // Newer models reject requests with both parameters.
  return { temperature: Math.min(temperature, MAX_TEMPERATURE) };
}

function unfit(message: string): Failure {
  return new Failure("unsupported_parameter", message, { param: "temperature" });
}
