import { ParticipantFailure } from "../participant-failure.ts";
import { FRAMES_TYPE, type WireForm } from "./wire-body.ts";

/** Details of a body error and its byte position. */
interface Fault {
  readonly problem?: string;
  readonly position?: number;
}

/** Returns the error for a malformed body. */
export function malformed(message: string, fault?: Fault): ParticipantFailure {
  return new ParticipantFailure("VALIDATION_ERROR", message, fault && { details: { ...fault } });
}

/**
 * Returns the error for a body over its limit. For JSON, suggests frames, which need no base64 and have a larger
 * limit.
 */
export function tooLarge(form: WireForm, limitBytes: number): ParticipantFailure {
  const fix = form === "json" ? `; send large parameters as ${FRAMES_TYPE}` : "";
  return new ParticipantFailure("PAYLOAD_TOO_LARGE", `the body is larger than ${limitBytes} bytes${fix}`, {
    details: { limitBytes },
  });
}

/** Returns the error for a list with too many entries. */
export function tooManyEntries(maxEntries: number): ParticipantFailure {
  return malformed(`parameters_list must have 1 to ${maxEntries} entries`);
}
