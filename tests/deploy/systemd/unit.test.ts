import { expect, test } from "vitest";
import { readUnit } from "./unit.ts";

const unit = readUnit();
const last = (name: string) => unit.get(name)?.at(-1);
const environment = Object.fromEntries(
  (unit.get("Environment") ?? []).flatMap((line) => line.split(" ")).map((pair) => pair.split("=") as [string, string]),
);

test("it has fifteen seconds more to stop than its calls have to end, and its children are not signalled over its head", () => {
  expect(Number(last("TimeoutStopSec"))).toBe(Number(environment.TOLLGATE_DRAIN_TIMEOUT) + 15);
  expect(last("KillMode")).toBe("mixed");
  expect(last("KillSignal")).toBe("SIGTERM");
});

test("the journal is where the machine keeps state, under one user for ever", () => {
  expect(environment.TOLLGATE_JOURNAL_DIR).toBe("%S/tollgate/journal");
  expect(last("StateDirectory")).toBe("tollgate");
  expect(last("User")).toBe("tollgate");
  expect(unit.has("DynamicUser")).toBe(false);
});

test("it gains no rights and writes nowhere else", () => {
  expect(last("NoNewPrivileges")).toBe("yes");
  expect(last("ProtectSystem")).toBe("strict");
  expect(last("CapabilityBoundingSet")).toBe("");
  expect(unit.has("ReadWritePaths")).toBe(false);
});

test("it comes back after a crash, and not when its settings are wrong", () => {
  expect(last("Restart")).toBe("always");
  expect(last("RestartPreventExitStatus")).toBe("2");
});
