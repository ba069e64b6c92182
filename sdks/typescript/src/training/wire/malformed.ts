import { ParticipantFailure } from "../participant-failure.ts";
import { FRAMES_TYPE, type WireForm } from "./wire-body.ts";

/** What exactly is wrong with a body, and at which of its bytes that showed. */
export interface Fault {
  readonly problem?: string;
  readonly position?: number;
}

/** A body that is not what it claims to be. */
export function malformed(message: string, fault?: Fault): ParticipantFailure {
  return new ParticipantFailure("VALIDATION_ERROR", message, fault && { details: { ...fault } });
}

/** A body over its limit. In JSON the way out is frames, which need no base64 and have a larger limit. */
export function tooLarge(form: WireForm, limitBytes: number): ParticipantFailure {
  const fix = form === "json" ? `; send large parameters as ${FRAMES_TYPE}` : "";
  return new ParticipantFailure("PAYLOAD_TOO_LARGE", `the body is larger than ${limitBytes} bytes${fix}`, {
    details: { limitBytes },
  });
}

/** A list with too many parameters in it. */
export function tooManyEntries(maxEntries: number): ParticipantFailure {
  return malformed(`parameters_list must have 1 to ${maxEntries} entries`);
}
