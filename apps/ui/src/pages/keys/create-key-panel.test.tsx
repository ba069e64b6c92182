import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { type Answers, answerApi, Refusal } from "../../testing/answer-api.fixture.ts";
import { signedInOwner } from "../../testing/owner.fixture.ts";
import { renderConsole } from "../../testing/render-console.fixture.tsx";
import type { ApiKey, Team } from "./api-key.ts";
import { CreateKeyPanel } from "./create-key-panel.tsx";

const TEAM = {
  id: "team_1",
  name: "ops",
  status: "active",
  keyCount: 0,
  budget: null,
  rateLimit: { rpm: 60, tpm: null, maxParallel: null },
  models: null,
  createdAt: "2026-01-02T00:00:00Z",
} as Team;
const META = { page: 1, pageSize: 100, total: 1, totalPages: 1 };
const MADE = { apiKey: { id: "key_1", name: "ci", token: "sk-0123456789abcdef" } as ApiKey };

async function renderForm(createApiKey: Answers["createApiKey"] = MADE, teams: readonly Team[] = [TEAM]) {
  const sent = answerApi({
    ...signedInOwner(),
    listTeams: { data: teams, meta: META },
    listHubModels: { models: [] },
    createApiKey,
  } as Answers);
  const onCreated = vi.fn();
  await renderConsole(<CreateKeyPanel onClose={() => {}} onCreated={onCreated} />);
  await screen.findByRole("textbox", { name: "Name" });
  return { keys: () => sent.filter(({ id }) => id === "createApiKey"), onCreated };
}

const type = (name: string, value: string) =>
  fireEvent.change(screen.getByRole("textbox", { name }), { target: { value } });
const create = () => fireEvent.click(screen.getByRole("button", { name: "Create key" }));

test("creates a key without limits in the oldest active team, and passes on its secret once", async () => {
  const older = { ...TEAM, id: "team_0", createdAt: "2026-01-01T00:00:00Z", status: "blocked" } as Team;
  const newer = { ...TEAM, id: "team_2", createdAt: "2026-01-03T00:00:00Z" } as Team;
  const { keys, onCreated } = await renderForm(MADE, [newer, TEAM, older]);
  type("Name", " ci ");
  create();
  await waitFor(() => expect(onCreated).toHaveBeenCalledTimes(1));
  expect(keys().map(({ body }) => body)).toEqual([
    {
      name: "ci",
      team_id: "team_1",
      models: null,
      budget: null,
      rateLimit: { rpm: null, tpm: null, maxParallel: null },
      expiresAt: null,
    },
  ]);
  expect(onCreated.mock.lastCall).toMatchObject([{ secret: "sk-0123456789abcdef", key: { token: "sk-01234…cdef" } }]);
});

test("sends each limit in its own field", async () => {
  const { keys } = await renderForm();
  type("Name", "ci");
  type("Spend cap", "25.50");
  type("Requests per minute", "10");
  type("Tokens per minute", "2000");
  type("Max concurrent requests", "3");
  create();
  await waitFor(() => expect(keys()).toHaveLength(1));
  expect(keys()[0]?.body).toMatchObject({
    budget: { limit: "25500000000", period: "monthly" },
    rateLimit: { rpm: 10, tpm: 2_000, maxParallel: 3 },
  });
});

test("shows what is wrong with a field, sends nothing, and removes the error when the field changes", async () => {
  const { keys } = await renderForm();
  create();
  screen.getByText("Enter a name");
  expect(screen.getByRole("textbox", { name: "Name" }).getAttribute("aria-invalid")).toBe("true");
  type("Name", "ci");
  expect(screen.queryByText("Enter a name")).toBeNull();
  type("Requests per minute", "ten");
  create();
  screen.getByText("Enter a whole number");
  type("Requests per minute", "10");
  create();
  await waitFor(() => expect(keys()).not.toEqual([]));
  // The first request is the one without errors.
  expect(keys().map(({ body }) => body)).toMatchObject([{ name: "ci", rateLimit: { rpm: 10 } }]);
});

test("a section opens for an error inside, and stays open while the user corrects it", async () => {
  await renderForm();
  const section = screen.getByRole("textbox", { name: "Tokens per minute" }).closest("details") as HTMLDetailsElement;
  expect(section.open).toBe(false);
  type("Name", "ci");
  type("Tokens per minute", "ten");
  create();
  expect(section.open).toBe(true);
  type("Tokens per minute", "1");
  expect(section.open).toBe(true);
});

test("shows why the server refused the key, and keeps what was typed", async () => {
  const { onCreated } = await renderForm(new Refusal(409, "A key with this name exists"));
  type("Name", "ci");
  create();
  await screen.findByText("Could not create the key.");
  screen.getByText(/A key with this name exists\./);
  expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Name" }).value).toBe("ci");
  expect(onCreated).not.toHaveBeenCalled();
});

test("a second click while the key is created does nothing", async () => {
  const { promise, resolve } = Promise.withResolvers<typeof MADE>();
  const { keys, onCreated } = await renderForm((() => promise) as Answers["createApiKey"]);
  type("Name", "ci");
  create();
  await screen.findByRole("button", { name: "Create key", busy: true });
  create();
  resolve(MADE);
  await waitFor(() => expect(onCreated).toHaveBeenCalledTimes(1));
  expect(keys()).toHaveLength(1);
});

test("warns that a blocked team's keys are refused", async () => {
  await renderForm(MADE, [{ ...TEAM, status: "blocked" }]);
  screen.getByText("Team ops is blocked.");
});
