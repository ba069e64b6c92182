import { expect, test } from "vitest";
import { loadServeSettings, SettingsRefused } from "./load-serve-settings.ts";

const providers = { known: new Map(), infer: () => null };

const load = (text: string) => {
  const reported: string[] = [];
  const settings = loadServeSettings([{ name: "tollgate.yaml", text }], {}, providers, (warning) =>
    reported.push(warning),
  );
  return { settings, reported };
};

test("warns at startup about each ignored setting, with its location and a suggested fix", () => {
  const { settings, reported } = load(`router_settings:
  num_retries: 1
  mid_stream_fallback: true
litellm_settings: {set_verbose: true}
`);
  expect(settings.router.numRetries).toBe(1);
  expect(reported).toEqual([
    "tollgate.yaml:3 mid_stream_fallback: this version does not support this setting; an interrupted stream ends with an error",
    "tollgate.yaml:4 litellm_settings.set_verbose: use TOLLGATE_LOG_LEVEL instead",
  ]);
});

test("loads a fully supported file without warnings and rejects an invalid file", () => {
  expect(load("router_settings: {num_retries: 1}").reported).toEqual([]);
  expect(() => load("router_settings: {num_retries: often}")).toThrow(SettingsRefused);
});
