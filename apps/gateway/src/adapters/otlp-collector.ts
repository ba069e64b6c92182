import type { TelemetrySettings } from "@tollgate/runtime/settings/settings.ts";
import { request } from "undici";
import type { CollectorListener, Delivery } from "../telemetry/collector-queue.ts";
import type { Collector } from "../telemetry/telemetry.ts";

const TIMEOUT_MS = 10_000;
/** Statuses for which the protocol requires a retry. */
const TRY_AGAIN: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

/** Opens the configured collector. Returns null if none is configured. */
export function openCollector(settings: TelemetrySettings | null, listener: CollectorListener): Collector | null {
  if (settings === null) return null;
  return { ...listener, send: (signal, body) => sendToCollector(settings, signal, body) };
}

/**
 * Sends OTLP as JSON to a collector. Returns failures instead of throwing. Redirects are not followed, because the
 * headers may contain a key that is only for this URL.
 */
async function sendToCollector(
  { endpoint, headers }: TelemetrySettings,
  signal: string,
  body: string,
): Promise<Delivery> {
  try {
    const answer = await request(`${endpoint}/v1/${signal}`, {
      method: "POST",
      headers: {
        ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.reveal()])),
        "content-type": "application/json",
      },
      body: Buffer.from(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await answer.body.dump();
    if (answer.statusCode >= 200 && answer.statusCode < 300) return "taken";
    return TRY_AGAIN.has(answer.statusCode) ? "away" : "refused";
  } catch {
    return "away";
  }
}
