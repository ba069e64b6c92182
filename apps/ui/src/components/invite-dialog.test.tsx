import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { answerApi, Refusal } from "../testing/answer-api.fixture.ts";
import { renderConsole } from "../testing/render-console.fixture.tsx";
import { InviteDialog } from "./invite-dialog.tsx";

const TEAM = { organizationId: "org_1", teamId: "team_1", name: "ops" };
const member = { memberId: 1, userId: 2, email: "", name: "", role: "member", joinedAt: "" } as const;

const type = (value: string) => fireEvent.change(screen.getByRole("textbox"), { target: { value } });
const send = (name: RegExp) => fireEvent.click(screen.getByRole("button", { name }));

test("invites every address to the team with the chosen role", async () => {
  const sent = answerApi({ inviteTeamMember: { status: "added", member } });
  await renderConsole(<InviteDialog target={TEAM} onClose={() => {}} />);
  type("ada@example.com, grace@example.com");
  fireEvent.click(screen.getByRole("button", { name: "Admin" }));
  send(/Send 2 invitations/);
  await screen.findAllByText("added");
  expect(sent.map(({ body }) => body)).toEqual([
    { teamId: "team_1", email: "ada@example.com", role: "admin" },
    { teamId: "team_1", email: "grace@example.com", role: "admin" },
  ]);
});

test("reports a refusal for its own address only, and goes on with the others", async () => {
  answerApi({
    inviteTeamMember: ({ body }) =>
      (body as { email: string }).email.startsWith("ada")
        ? new Refusal(409, "Already a member")
        : { status: "added", member },
  });
  await renderConsole(<InviteDialog target={TEAM} onClose={() => {}} />);
  type("ada@example.com grace@example.com");
  send(/Send 2 invitations/);
  await screen.findByText("Already a member.");
  expect(screen.getAllByRole("listitem").map((item) => item.textContent)).toEqual([
    "ada@example.comnot invitedAlready a member.",
    "grace@example.comadded",
  ]);
});

test("shows the link of an invitation to the organization if the server sends no email", async () => {
  const sent = answerApi({
    inviteOrganizationMember: () => ({
      status: "invited",
      inviteUrl: "http://console.test/ui/invitation?token=t",
      invitation: {
        id: "inv_1",
        email: "ada@example.com",
        role: "member",
        scope: "organization",
        organizationId: "org_1",
        organizationName: "",
        teamId: null,
        teamName: null,
        invitedBy: { id: 1, name: "" },
        status: "pending",
        expiresAt: "",
        createdAt: "",
      },
    }),
  });
  await renderConsole(<InviteDialog target={{ ...TEAM, teamId: null }} onClose={() => {}} />);
  type("ada@example.com");
  send(/Send 1 invitation/);
  await screen.findByText("http://console.test/ui/invitation?token=t");
  expect(sent.map(({ body }) => body)).toEqual([{ email: "ada@example.com", role: "member" }]);
});

test("sends nothing without an address, and nothing twice while it is sending", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const sent = answerApi({ inviteTeamMember: () => promise.then(() => ({ status: "added", member })) });
  const onClose = vi.fn();
  await renderConsole(<InviteDialog target={TEAM} onClose={onClose} />);
  send(/^Invite/);
  expect(sent).toEqual([]);
  type("ada@example.com");
  send(/Send 1 invitation/);
  send(/Send 1 invitation/);
  await waitFor(() => expect(sent).toHaveLength(1));
  resolve();
  await screen.findByText("added");
  expect(sent).toHaveLength(1);
  fireEvent.click(screen.getByRole("button", { name: "Done" }));
  expect(onClose).toHaveBeenCalledTimes(1);
});
