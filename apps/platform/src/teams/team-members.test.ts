import { test as base } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { addKey, listAuditActions, listEvents, listLiveKeys } from "../organizations/records.fixture.ts";
import type { TestUser } from "../people.fixture.ts";
import { startTestPlatform, type TestPlatform } from "../platform.fixture.ts";

const test = base.extend("platform", { scope: "file" }, async ({ database }, { onCleanup }) => {
  const platform = await startTestPlatform(database);
  onCleanup(() => platform.close());
  return platform;
});

const call = (platform: TestPlatform, who: TestUser, verb: string, body: object) =>
  platform.api("POST", `/api/gw/teams/${verb}-member`, { token: who.token, body });

const lastAdmin = { status: 409, body: { code: "VALIDATION_ERROR", details: { reason: "LAST_ADMIN" } } };

test("inviting an organization member to a team adds them immediately, and a second invitation returns 409", async ({
  platform,
}) => {
  const ada = await platform.addUser();
  const bob = await platform.addMember(ada.organizationId, "member");
  const body = { teamId: ada.teamId, teamName: "Free money", email: bob.email.toUpperCase(), role: "admin" };
  const added = await call(platform, ada, "invite", body);
  expect(added).toMatchObject({
    status: 200,
    body: { status: "added", member: { memberId: bob.userId, email: bob.email, role: "admin" } },
  });
  expect(await call(platform, ada, "invite", body)).toMatchObject({
    status: 409,
    body: { details: { reason: "ALREADY_MEMBER" } },
  });
  expect(await listEvents(platform, ada.organizationId)).toEqual([
    { type: "member.added", data: { userId: bob.userId, teamId: ada.teamId, role: "admin" } },
  ]);
  expect(await listAuditActions(platform, ada.organizationId)).toEqual(["member.added"]);
});

test("team admins can manage members, and other members can only remove themselves", async ({ platform }) => {
  const ada = await platform.addUser();
  const { teamId } = ada;
  const teamAdmin = await platform.addMember(ada.organizationId, "member", { [teamId]: "admin" });
  const member = await platform.addMember(ada.organizationId, "member", { [teamId]: "member" });
  const other = await platform.addMember(ada.organizationId, "member", { [teamId]: "member" });
  const outsider = await platform.addMember(ada.organizationId, "member");
  for (const who of [member, outsider]) {
    expect((await call(platform, who, "invite", { teamId, email: "x@example.org", role: "member" })).status).toBe(403);
    expect((await call(platform, who, "update", { teamId, memberId: other.userId, role: "admin" })).status).toBe(403);
    expect((await call(platform, who, "remove", { teamId, memberId: other.userId })).status).toBe(403);
  }
  expect((await call(platform, member, "update", { teamId, memberId: member.userId, role: "admin" })).status).toBe(403);
  const promoted = await call(platform, teamAdmin, "update", { teamId, memberId: other.userId, role: "admin" });
  expect(promoted).toMatchObject({ status: 200, body: { member: { userId: other.userId, role: "admin" } } });
  expect((await call(platform, member, "remove", { teamId, memberId: String(member.userId) })).status).toBe(200);
  expect((await call(platform, teamAdmin, "remove", { teamId, memberId: other.userId })).status).toBe(200);
  // The member was removed from the team but is still in the organization.
  const { body } = await platform.api("GET", "/api/gw/organizations/list", { token: member.token });
  expect(body.data).toMatchObject([{ id: ada.organizationId }]);
  expect((await call(platform, ada, "remove", { teamId, memberId: outsider.userId })).status).toBe(404);
});

test("only an organization admin can demote or remove the last admin of a team", async ({ platform }) => {
  const ada = await platform.addUser();
  const made = await platform.api("POST", "/api/gw/teams", { token: ada.token, body: { name: "Alone" } });
  const teamId = made.body.team.id;
  const bob = await platform.addMember(ada.organizationId, "member", { [teamId]: "admin" });
  expect((await call(platform, ada, "remove", { teamId, memberId: ada.userId })).status).toBe(200);
  expect(await call(platform, bob, "remove", { teamId, memberId: bob.userId })).toMatchObject(lastAdmin);
  expect(await call(platform, bob, "update", { teamId, memberId: bob.userId, role: "member" })).toMatchObject(
    lastAdmin,
  );
  expect((await call(platform, ada, "update", { teamId, memberId: bob.userId, role: "member" })).status).toBe(200);
});

test("if the last two team admins leave concurrently, one admin remains", async ({ platform }) => {
  const ada = await platform.addUser();
  const made = await platform.api("POST", "/api/gw/teams", { token: ada.token, body: { name: "Pair" } });
  const teamId = made.body.team.id;
  const one = await platform.addMember(ada.organizationId, "member", { [teamId]: "admin" });
  const other = await platform.addMember(ada.organizationId, "member", { [teamId]: "admin" });
  await call(platform, ada, "remove", { teamId, memberId: ada.userId });
  const answers = await Promise.all([
    call(platform, one, "remove", { teamId, memberId: one.userId }),
    call(platform, other, "remove", { teamId, memberId: other.userId }),
  ]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
});

test("keys belong to the team and stay active after their creator leaves, unless revokeKeys is set", async ({
  platform,
}) => {
  const ada = await platform.addUser();
  const { teamId, organizationId } = ada;
  const bob = await platform.addMember(organizationId, "member", { [teamId]: "member" });
  const eve = await platform.addMember(organizationId, "member", { [teamId]: "member" });
  const elsewhere = await platform.api("POST", "/api/gw/teams", { token: ada.token, body: { name: "Elsewhere" } });
  const keys = [
    await addKey(platform, bob),
    await addKey(platform, eve),
    await addKey(platform, { ...eve, teamId: elsewhere.body.team.id }),
  ];
  expect((await call(platform, ada, "remove", { teamId, memberId: bob.userId })).body.revokedKeys).toBe(0);
  const removed = await call(platform, ada, "remove", { teamId, memberId: eve.userId, revokeKeys: true });
  expect(removed.body).toEqual({ removed: true, revokedKeys: 1 });
  expect(await listLiveKeys(platform, organizationId)).toEqual([keys[0], keys[2]].toSorted());
});

test("removing a team member revokes their pending invitations to the team", async ({ platform }) => {
  const ada = await platform.addUser();
  const bob = await platform.addUser();
  const { teamId, organizationId } = ada;
  const accept = (invitationId: string) =>
    platform.api("POST", "/api/invitations/accept", { token: bob.token, body: { invitationId } });
  const stale = await call(platform, ada, "invite", { teamId, email: bob.email, role: "admin" });
  const first = await platform.api("POST", `/api/gw/organizations/${organizationId}/invite-member`, {
    token: ada.token,
    body: { email: bob.email },
  });
  expect((await accept(first.body.invitation.id)).status).toBe(200);
  expect((await call(platform, ada, "invite", { teamId, email: bob.email })).body.status).toBe("added");
  expect((await call(platform, ada, "remove", { teamId, memberId: bob.userId })).status).toBe(200);
  expect((await accept(stale.body.invitation.id)).status).toBe(404);
});

test.for(["update", "remove"] as const)(
  "%s of a team admin revokes their pending invitations to the team",
  async (verb, { platform }) => {
    const ada = await platform.addUser();
    const { teamId, organizationId } = ada;
    const lead = await platform.addMember(organizationId, "member", { [teamId]: "admin" });
    const accomplice = await platform.addUser();
    const sent = await call(platform, lead, "invite", { teamId, email: accomplice.email, role: "admin" });
    expect(sent.status).toBe(202);
    const lowered = { teamId, memberId: lead.userId, ...(verb === "update" && { role: "member" }) };
    expect((await call(platform, ada, verb, lowered)).status).toBe(200);
    const body = { invitationId: sent.body.invitation.id };
    expect((await platform.api("POST", "/api/invitations/accept", { token: accomplice.token, body })).status).toBe(404);
  },
);
