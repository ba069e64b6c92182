import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { RefusalCard } from "./refusal-card.tsx";

test("shows the amounts of an exhausted budget as money", () => {
  const limit = { kind: "budget", ownerType: "key", ownerName: "nightly", current: "0.548782570", resetsAt: null };
  const refusal = { code: "budget_exceeded", message: "Reached.", fix: null, docUrl: null };
  render(<RefusalCard refusal={{ ...refusal, limit: { ...limit, maximum: "0.540000000" } }} />);
  expect(screen.getByText("$0.54878257 of $0.54")).toBeDefined();
});
