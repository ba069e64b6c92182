import { expect, test } from "vitest";
import { readUnit } from "./unit.ts";

const unit = readUnit();
const last = (name: string) => unit.get(name)?.at(-1);
const environment = Object.fromEntries(
  (unit.get("Environment") ?? []).flatMap((line) => line.split(" ")).map((pair) => pair.split("=") as [string, string]),
);

test("the stop timeout exceeds the drain timeout by fifteen seconds, and only the main process gets SIGTERM", () => {
  expect(Number(last("TimeoutStopSec"))).toBe(Number(environment.TOLLGATE_DRAIN_TIMEOUT) + 15);
  expect(last("KillMode")).toBe("mixed");
  expect(last("KillSignal")).toBe("SIGTERM");
});

test("the journal is in the state directory and belongs to a permanent user", () => {
  expect(environment.TOLLGATE_JOURNAL_DIR).toBe("%S/tollgate/journal");
  expect(last("StateDirectory")).toBe("tollgate");
  expect(last("User")).toBe("tollgate");
  expect(unit.has("DynamicUser")).toBe(false);
});

test("the unit gains no privileges and writes only to its state directory", () => {
  expect(last("NoNewPrivileges")).toBe("yes");
  expect(last("ProtectSystem")).toBe("strict");
  expect(last("CapabilityBoundingSet")).toBe("");
  expect(unit.has("ReadWritePaths")).toBe(false);
});

test("the unit restarts after a crash, but not if its settings are invalid", () => {
  expect(last("Restart")).toBe("always");
  expect(last("RestartPreventExitStatus")).toBe("2");
});
