import type { RequestHeaders } from "./request-headers.ts";

const LABEL = /^[A-Za-z0-9._-]{1,128}$/;

/** Reports whether a client's call ID is valid. */
export function isLabel(text: string): boolean {
  return LABEL.test(text);
}

/** Returns the call ID of a request: the client's call ID if it is valid, otherwise the event ID. */
export function chooseCallId(headers: RequestHeaders, eventId: string): string {
  return headers.callId !== null && isLabel(headers.callId) ? headers.callId : eventId;
}
