import { test } from "@tollgate/testkit/test.ts";
import { expect, onTestFinished } from "vitest";
import { startTestPlatform } from "../platform.fixture.ts";

const PATH = "/api/preferences";
const usual = { theme: "system", density: "default", timezone: null, shortcuts: true, savedViews: [], dismissed: [] };

test("preferences are stored per user, and unset preferences have default values", async ({ database }) => {
  const platform = await startTestPlatform(database);
  onTestFinished(() => platform.close());
  const [one, other] = [await platform.addUser(), await platform.addUser()];
  const readBy = async (token: string) => (await platform.api("GET", PATH, { token })).body.preferences;
  expect(await readBy(one.token)).toEqual(usual);
  const view = { id: "v1", page: "logs", name: "Errors today", search: "status=failure&range=1d" };
  const changed = await platform.api("PATCH", PATH, {
    token: one.token,
    body: { theme: "dark", timezone: "Europe/Berlin", savedViews: [view] },
  });
  expect(changed).toMatchObject({ status: 200, body: { preferences: { theme: "dark", density: "default" } } });
  await platform.api("PATCH", PATH, { token: one.token, body: { timezone: null, dismissed: ["low-balance"] } });
  expect(await readBy(one.token)).toEqual({ ...usual, theme: "dark", savedViews: [view], dismissed: ["low-balance"] });
  expect(await readBy(other.token)).toEqual(usual);
});

test("concurrent changes to different preferences are all saved", async ({ database }) => {
  const platform = await startTestPlatform(database);
  onTestFinished(() => platform.close());
  const { token } = await platform.addUser();
  const chosen = { theme: "dark", density: "compact", timezone: "Asia/Tokyo", shortcuts: false, dismissed: ["a"] };
  const changes = Object.entries(chosen).map(([name, value]) => ({ [name]: value }));
  await Promise.all(changes.map((body) => platform.api("PATCH", PATH, { token, body })));
  expect((await platform.api("GET", PATH, { token })).body.preferences).toEqual({ ...usual, ...chosen });
});

test.for([
  { theme: "neon" },
  { timezone: "Mars/Olympus" },
  { savedViews: Array.from({ length: 51 }, (_, id) => ({ id: `v${id}`, page: "logs", name: "view", search: "" })) },
  { savedViews: [{ id: "v", page: "logs", name: "view", search: "x".repeat(2_001) }] },
  { dismissed: [""] },
])("rejects invalid preferences: %j", async (body, { database }) => {
  const platform = await startTestPlatform(database);
  onTestFinished(() => platform.close());
  const { token } = await platform.addUser();
  expect(await platform.api("PATCH", PATH, { token, body })).toMatchObject({ status: 400 });
  expect((await platform.api("GET", PATH, { token })).body.preferences).toEqual(usual);
});

test("the total size of preferences is limited", async ({ database }) => {
  const platform = await startTestPlatform(database);
  onTestFinished(() => platform.close());
  const { token } = await platform.addUser();
  const views = (count: number) =>
    Array.from({ length: count }, (_, id) => ({ id: `v${id}`, page: "logs", name: "view", search: "é".repeat(1_000) }));
  expect((await platform.api("PATCH", PATH, { token, body: { savedViews: views(30) } })).status).toBe(200);
  const dismissed = Array.from({ length: 200 }, (_, index) => `${index}-`.padEnd(100, "x"));
  expect((await platform.api("PATCH", PATH, { token, body: { dismissed } })).status).toBe(400);
});
