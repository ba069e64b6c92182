import { expect, test } from "vitest";
import { PrebuiltRefusals } from "../limits/prebuilt-refusals.ts";
import { startApi } from "./api.fixture.ts";

test("under load, refuses list requests with 503, but still serves health and metrics and returns 401 for invalid keys", async () => {
  const refusals = new PrebuiltRefusals("This instance is at capacity.", () => 0.5);
  let isBusy = true;
  await using rest = await startApi({ refusesReads: () => (isBusy ? refusals.next() : null) });
  const statusOf = async (path: string, key?: string) =>
    (await rest.get(path, key === undefined ? {} : { key })).status;
  for (const path of ["/models", "/v1/models", "/model/info", "/model_group/info"]) {
    expect(await statusOf(path), path).toBe(503);
    expect(await statusOf(path, "sk-unknown"), path).toBe(401);
  }
  const refused = await rest.get("/models");
  expect(await refused.json()).toMatchObject({ error: { code: "overloaded" } });
  expect(refused.headers.get("retry-after")).toMatch(/^[12]$/);
  for (const path of ["/health/liveliness", "/health/readiness", "/metrics"])
    expect(await statusOf(path), path).toBe(200);
  isBusy = false;
  expect(await statusOf("/models")).toBe(200);
});
