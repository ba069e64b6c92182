import { screen } from "@testing-library/react";
import type { Operations } from "@tollgate/sdk/platform";
import { expect, test } from "vitest";
import { renderConsole } from "../../testing/render-console.fixture.tsx";
import { ChangeSentence } from "./change-sentence.tsx";

type Entry = Operations["listAdminAuditLog"]["answer"]["data"][number];

const entry = {
  summary: "ada@example.com changed API key ci: name",
  actor: { type: "user", id: 1, email: "ada@example.com", name: null },
  target: { type: "key", id: "key_1", email: null, name: "ci" },
  organizationId: "org_1",
} as Entry;

test("the changed object in the sentence is a link to its page", async () => {
  const { container } = await renderConsole(<ChangeSentence entry={entry} organizationId="org_1" />);
  expect(container.textContent).toBe("ada@example.com changed API key ci: name");
  expect(screen.getByRole("link", { name: "ci" }).getAttribute("href")).toBe("/keys/key_1");
});

test("an object of another organization is no link, because its page would not be found", async () => {
  await renderConsole(<ChangeSentence entry={entry} organizationId="org_2" />);
  expect(screen.queryByRole("link")).toBeNull();
});

test("the link is the object, not a team of the same name", async () => {
  const inTeam = {
    ...entry,
    summary: "ci@example.com created API key ci in team ci",
    actor: { email: "ci@example.com" },
  };
  await renderConsole(<ChangeSentence entry={inTeam as Entry} organizationId="org_1" />);
  const link = screen.getByRole("link", { name: "ci" });
  expect(link.nextSibling?.textContent).toBe(" in team ci");
});
