import { cleanup, render, screen } from "@testing-library/react";
import { ApiError } from "@tollgate/sdk/platform";
import { expect, test } from "vitest";
import { CallFailure } from "../pages/playground/call-failure.tsx";
import { BrokenPage } from "../shell/broken-page.tsx";
import { renderConsole } from "../testing/render-console.fixture.tsx";
import { ErrorNotice } from "./error-notice.tsx";
import { ErrorText } from "./error-text.tsx";
import { NotAllowed } from "./not-allowed.tsx";

const refused = new ApiError(403, "Only an owner can invite an owner", {
  code: "FORBIDDEN",
  reason: "ROLE_REQUIRED",
  details: {},
  requestId: "req_1",
  fix: "Ask one of them, or ask an owner for a higher role",
  limit: null,
  docUrl: "https://docs.example/errors/reasons/ROLE_REQUIRED",
  retryAfterSeconds: null,
});
const SENTENCES = /Only an owner can invite an owner\. Ask one of them, or ask an owner for a higher role\./;

test("a failure is shown with its fix and a link to its page, in every form", async () => {
  const forms = [
    <ErrorText key="text" error={refused} />,
    <ErrorNotice key="notice" error={refused} what="The invitation" />,
    <NotAllowed key="access" what="The members" error={refused} />,
    <CallFailure key="playground" error={refused} />,
    <BrokenPage key="page" error={refused} reset={() => {}} />,
  ];
  for (const form of forms) {
    await renderConsole(<div data-testid="form">{form}</div>);
    expect(screen.getByTestId("form").textContent).toMatch(SENTENCES);
    expect(screen.getByRole("link", { name: "About this error" }).getAttribute("href")).toBe(
      "https://docs.example/errors/reasons/ROLE_REQUIRED",
    );
    cleanup();
  }
});

test("an error without a page has no link", () => {
  render(<ErrorText error={new Error("This link is incomplete")} />);
  screen.getByText("This link is incomplete.");
  expect(screen.queryByRole("link")).toBeNull();
});

test("a page that fails to render shows the error itself, and not a network failure", () => {
  render(<BrokenPage error={new TypeError("x is undefined")} reset={() => {}} />);
  screen.getByText("x is undefined");
});
