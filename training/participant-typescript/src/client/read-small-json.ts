import type { IncomingMessage } from "node:http";
import type { JsonObject } from "../handlers.ts";
import { describeBrokenCall } from "./describe-broken-call.ts";
import { invalidAnswer } from "./participant-call-error.ts";

const MAX_BYTES = 64 * 1024;

/**
 * Parses the JSON object in a response; undefined if the response is not a JSON object. Throws if the response is too
 * long or truncated.
 */
export async function readSmallJson(response: IncomingMessage, maxBytes = MAX_BYTES): Promise<JsonObject | undefined> {
  const text = await readText(response, maxBytes);
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

async function readText(response: IncomingMessage, maxBytes: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let byteLength = 0;
  try {
    // Leaving the loop early destroys the response and its connection, which stops an oversized body.
    for await (const piece of response as AsyncIterable<Uint8Array>) {
      byteLength += piece.length;
      if (byteLength > maxBytes) break;
      pieces.push(piece);
    }
  } catch (error) {
    throw describeBrokenCall(error as Error);
  }
  if (byteLength > maxBytes) throw invalidAnswer(`it is longer than ${maxBytes} bytes`, response.statusCode);
  return Buffer.concat(pieces).toString("utf8");
}
