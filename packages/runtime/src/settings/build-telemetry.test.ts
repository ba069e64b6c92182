import { expect, test } from "vitest";
import { loadText, loadValid } from "./load-for-test.ts";

const telemetryOf = (yaml: string, env: Readonly<Record<string, string>> = {}) =>
  loadValid(yaml, env).settings.general.telemetry;

test("telemetry is off without a collector or when disabled", () => {
  expect(telemetryOf("{}")).toBeNull();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" };
  expect(telemetryOf("{}", { ...env, OTEL_SDK_DISABLED: "true" })).toBeNull();
});

test("the standard OpenTelemetry variables are sufficient, and the file takes precedence over them", () => {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.example.com/otlp/",
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Basic%20covert, x-tenant=one",
    OTEL_SERVICE_NAME: "edge",
    OTEL_TRACES_SAMPLER_ARG: "0.25",
    OTEL_SEMCONV_STABILITY_OPT_IN: "http,gen_ai/dup",
  };
  const telemetry = telemetryOf("{}", env);
  expect(telemetry).toMatchObject({
    endpoint: "https://collector.example.com/otlp",
    sampleRatio: 0.25,
    serviceName: "edge",
    sendsFormerNames: true,
  });
  expect(telemetry?.headers.authorization?.reveal()).toBe("Basic covert");
  expect(telemetry?.headers["x-tenant"]?.reveal()).toBe("one");
  const written = 'otel: { endpoint: "http://other:4318", headers: { x-key: os.environ/KEY }, sample_ratio: 1 }';
  const won = telemetryOf(`general_settings: { ${written} }`, { ...env, KEY: "covert" });
  expect(won).toMatchObject({ endpoint: "http://other:4318", sampleRatio: 1, serviceName: "edge" });
  expect(Object.keys(won?.headers ?? {})).toEqual(["x-key"]);
  expect(JSON.stringify(loadValid(`general_settings: { ${written} }`, { KEY: "covert" }).settings.shown)).not.toContain(
    "covert",
  );
});

test.each([
  ["otel: { endpoint: collector }", {}],
  ['otel: { endpoint: "http://name:covert@collector" }', {}],
  ['otel: { endpoint: "http://collector", sample_ratio: 2 }', {}],
  ['otel: { endpoint: "http://collector", headers: { "a b": covert } }', {}],
  ["{}", { OTEL_EXPORTER_OTLP_ENDPOINT: "grpc://collector:4317" }],
  ["{}", { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector", OTEL_TRACES_SAMPLER_ARG: "often" }],
])("rejects %s with %o without showing secrets", (yaml, env: Record<string, string>) => {
  const loaded = loadText(yaml === "{}" ? yaml : `general_settings: { ${yaml} }`, env);
  expect(loaded.kind).toBe("refused");
  expect(JSON.stringify(loaded)).not.toContain("covert");
});
