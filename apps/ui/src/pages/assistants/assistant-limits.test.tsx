import { screen, within } from "@testing-library/react";
import type { Operations } from "@tollgate/sdk/platform";
import { expect, test } from "vitest";
import { answerApi } from "../../testing/answer-api.fixture.ts";
import { signedInOwner } from "../../testing/owner.fixture.ts";
import { renderConsole } from "../../testing/render-console.fixture.tsx";
import { AssistantLimits } from "./assistant-limits.tsx";

type Answer = Operations["getAssistantUsage"]["answer"];

const ORGANIZATION = {
  queuedRuns: { current: 12, maximum: 1_000 },
  openStreams: { current: 3, maximumPerGateway: 500 },
  storedBytes: { current: 4_000_000, maximum: 10_000_000 },
};
const KEY = {
  queuedRuns: { current: 2, maximum: 200 },
  openStreams: { current: 0, maximumPerGateway: 100 },
  storedBytes: { current: 1_000, maximum: 2_000_000_000 },
};

test("shows what the key and the organization use, and that credit raises the limit", async () => {
  const answer: Answer = { assistants: { organization: ORGANIZATION, apiKey: KEY, needsCredit: true } };
  const sent = answerApi({ ...signedInOwner(), getAssistantUsage: answer });
  await renderConsole(<AssistantLimits keyId="key_1" />);
  const organization = await screen.findByRole("region", { name: "Organization" });
  expect(organization.textContent).toContain("Queued runs12 of 1,000");
  expect(organization.textContent).toContain("Open streams3 of 500 per gateway");
  expect(organization.textContent).toContain("Stored4 MB of 10 MB");
  within(organization).getByText("Add credit to store more.");
  const key = screen.getByRole("region", { name: "This key" });
  expect(key.textContent).toContain("Stored1 KB of 2 GB");
  expect(sent.find(({ id }) => id === "getAssistantUsage")?.query.get("apiKey")).toBe("key_1");
});

test("shows only the organization without a key", async () => {
  const answer: Answer = { assistants: { organization: ORGANIZATION, apiKey: null, needsCredit: false } };
  answerApi({ ...signedInOwner(), getAssistantUsage: answer });
  await renderConsole(<AssistantLimits keyId="" />);
  await screen.findByRole("region", { name: "Organization" });
  expect(screen.queryByRole("region", { name: "This key" })).toBeNull();
  expect(screen.queryByText("Add credit to store more.")).toBeNull();
});
