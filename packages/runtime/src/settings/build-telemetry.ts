import { Secret } from "@tollgate/domain/secret.ts";
import type { Environment } from "./environment.ts";
import type { GeneralSection } from "./schema/general-section.ts";
import type { TelemetrySettings } from "./settings.ts";
import type { SettingsReader } from "./settings-reader.ts";
import { descend } from "./source-tree.ts";

const DEFAULT_RATIO = 0.01;
const DEFAULT_NAME = "tollgate";
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

/**
 * Builds the telemetry settings from the file, or else from OpenTelemetry's standard variables. Returns null if no
 * collector is set.
 */
export function buildTelemetry(
  general: GeneralSection,
  reader: SettingsReader,
  environment: Environment,
): TelemetrySettings | null {
  const { otel } = general;
  const source = reader.sourceOf(general);
  const { place } = descend(source, "otel") ?? source;
  const refuse = (name: string, suggestion: string): null => {
    reader.findings.refuse(place, name, suggestion);
    return null;
  };
  if (environment.OTEL_SDK_DISABLED?.toLowerCase() === "true") return null;
  const variable = (name: string): string | null => environment[name] || null;
  const written = otel.endpoint ?? variable("OTEL_EXPORTER_OTLP_ENDPOINT");
  if (written === null) return null;
  const endpoint = readEndpoint(written);
  if (endpoint === null) {
    const name = otel.endpoint === null ? "OTEL_EXPORTER_OTLP_ENDPOINT" : "otel.endpoint";
    return refuse(name, "expected a URL such as http://collector:4318; put keys in headers, not in the URL");
  }
  const headers = Object.keys(otel.headers).length > 0 ? otel.headers : readHeaders(environment);
  const wrong = Object.keys(headers).find((name) => !HEADER_NAME.test(name));
  if (wrong !== undefined) return refuse("otel.headers", "one of them is not a valid header name");
  const ratio = otel.sample_ratio ?? Number(variable("OTEL_TRACES_SAMPLER_ARG") ?? DEFAULT_RATIO);
  if (!(ratio >= 0 && ratio <= 1)) return refuse("OTEL_TRACES_SAMPLER_ARG", "expected a number from 0 to 1");
  return {
    endpoint,
    headers,
    sampleRatio: ratio,
    serviceName: otel.service_name ?? variable("OTEL_SERVICE_NAME") ?? DEFAULT_NAME,
    sendsFormerNames: readList(environment.OTEL_SEMCONV_STABILITY_OPT_IN).includes("gen_ai/dup"),
  };
}

function readEndpoint(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol)) return null;
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") return null;
  return url.href.replace(/\/+$/, "");
}

/** Parses headers in the form `name=value,name=value`, with optional percent-encoding. */
function readHeaders(environment: Environment): Readonly<Record<string, Secret>> {
  const pairs = readList(environment.OTEL_EXPORTER_OTLP_HEADERS).map((pair) => {
    const [name = "", ...value] = pair.split("=");
    return [name.trim(), new Secret(decode(value.join("=").trim()))] as const;
  });
  return Object.fromEntries(pairs);
}

function readList(text: string | undefined): readonly string[] {
  return (text ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
