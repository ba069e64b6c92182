import type { TelemetrySettings } from "@tollgate/runtime/settings/settings.ts";
import type { Collector, CollectorListener } from "../telemetry/collector.ts";

/**
 * Opens the configured collector. Returns null if none is configured. OpenTelemetry's packages are loaded only for a
 * collector, because loading them takes 85 ms and 25 MB.
 */
export async function openCollector(
  settings: TelemetrySettings | null,
  listener: CollectorListener,
): Promise<Collector | null> {
  if (settings === null) return null;
  const { OtlpCollector } = await import("./otlp-collector.ts");
  return new OtlpCollector(settings, listener);
}
