import { fireEvent, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { answerApi } from "../../testing/answer-api.fixture.ts";
import { renderConsole } from "../../testing/render-console.fixture.tsx";
import { ActivitySection } from "./activity-section.tsx";

test("an organization's activity is loaded only on request, because viewing it is recorded", async () => {
  const sent = answerApi({
    getOrganizationActivity: {
      since: "2026-10-01T00:00:00.000Z",
      members: [{ id: 7, name: "Ada", email: "ada@example.com", role: "owner" }],
      keys: [],
      models: [{ model: "fast", cost: 4_120_000n, usd: {} }],
      days: [{ day: "2026-10-02", cost: 4_120_000n, usd: {} }],
    },
  });
  await renderConsole(<ActivitySection id="org_1" />);
  expect(sent).toEqual([]);
  fireEvent.click(screen.getByRole("button", { name: "View activity" }));
  await screen.findByText("$0.00412 in the last 30 days, 1 member, 0 keys.");
  expect(sent.map(({ id }) => id)).toEqual(["getOrganizationActivity"]);
});
