import { expect, test } from "vitest";
import { canOpenBrowser } from "./can-open-browser.ts";

const stdout = { write: () => true, isTTY: true };

test("a browser is opened only in a terminal with a screen, and never in CI or over SSH", () => {
  const opens = (env: NodeJS.ProcessEnv, isTTY = true, platform: NodeJS.Platform = "linux") =>
    canOpenBrowser({ stdout: { ...stdout, isTTY }, env }, platform);
  expect(opens({ DISPLAY: ":0" })).toBe(true);
  expect(opens({ WAYLAND_DISPLAY: "wayland-0" })).toBe(true);
  expect(opens({}, true, "darwin")).toBe(true);
  expect(opens({})).toBe(false);
  expect(opens({ DISPLAY: ":0" }, false)).toBe(false);
  expect(opens({ DISPLAY: ":0", CI: "true" })).toBe(false);
  expect(opens({ DISPLAY: ":0", SSH_CONNECTION: "10.0.0.1 1 10.0.0.2 22" })).toBe(false);
});
