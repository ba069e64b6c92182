import type { RequestHeaders } from "./request-headers.ts";

const LABEL = /^[A-Za-z0-9._-]{1,128}$/;

/** Whether a client may call its request that. */
export function isLabel(text: string): boolean {
  return LABEL.test(text);
}

/** What the answer calls this request: the client's own label when it sent a good one, else the server's id. */
export function chooseCallId(headers: RequestHeaders, eventId: string): string {
  return headers.callId !== null && isLabel(headers.callId) ? headers.callId : eventId;
}
