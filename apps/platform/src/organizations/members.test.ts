import { test as base } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import type { TestUser } from "../people.fixture.ts";
import { startTestPlatform, type TestPlatform } from "../platform.fixture.ts";
import { addKey, listAuditActions, listEvents, listLiveKeys } from "./records.fixture.ts";

const test = base.extend("platform", { scope: "file" }, async ({ database }, { onCleanup }) => {
  const platform = await startTestPlatform(database);
  onCleanup(() => platform.close());
  return platform;
});

const call = (platform: TestPlatform, who: TestUser, verb: string, body: object, organizationId = who.organizationId) =>
  platform.api("POST", `/api/gw/organizations/${organizationId}/${verb}-member`, { token: who.token, body });

async function rolesOf(platform: TestPlatform, owner: TestUser): Promise<Record<number, string>> {
  const path = `/api/gw/organizations/${owner.organizationId}/members?pageSize=100`;
  const { body } = await platform.api("GET", path, { token: owner.token });
  return Object.fromEntries(body.data.map((member: { userId: number; role: string }) => [member.userId, member.role]));
}

test("admins can list, search, and sort members, but members and users of other organizations can't", async ({
  platform,
}) => {
  const ada = await platform.addUser({ name: "Ada" });
  const admin = await platform.addMember(ada.organizationId, "admin");
  const member = await platform.addMember(ada.organizationId, "member");
  const stranger = await platform.addUser();
  const path = `/api/gw/organizations/${ada.organizationId}/members`;
  const list = (token: string, query = "") => platform.api("GET", path + query, { token });
  const { body } = await list(admin.token);
  // Members are listed newest first, like all other lists.
  expect(body.data.at(-1)).toEqual({
    memberId: ada.userId,
    userId: ada.userId,
    email: ada.email,
    name: "Ada",
    role: "owner",
    joinedAt: expect.stringMatching(/Z$/),
  });
  expect(body.meta.total).toBe(3);
  expect((await list(ada.token, `?search=${member.email.slice(5, 12)}`)).body.data).toMatchObject([
    { userId: member.userId },
  ]);
  expect((await list(ada.token, "?sort=-name")).body.data.at(-1)).toMatchObject({ name: "Ada" });
  expect((await list(member.token)).status).toBe(403);
  expect((await list(stranger.token)).status).toBe(404);
});

test("only owners can promote, change, and remove admins and owners", async ({ platform }) => {
  const ada = await platform.addUser();
  const admin = await platform.addMember(ada.organizationId, "admin");
  const other = await platform.addMember(ada.organizationId, "admin");
  const member = await platform.addMember(ada.organizationId, "member");
  const refused = { status: 403, body: { details: { reason: "ROLE_REQUIRED" } } };
  expect(await call(platform, admin, "update", { memberId: member.userId, role: "admin" })).toMatchObject(refused);
  expect(await call(platform, admin, "update", { memberId: admin.userId, role: "owner" })).toMatchObject(refused);
  expect(await call(platform, admin, "update", { memberId: ada.userId, role: "member" })).toMatchObject(refused);
  expect(await call(platform, admin, "remove", { memberId: other.userId })).toMatchObject(refused);
  expect(await call(platform, admin, "invite", { email: "new@example.org", role: "admin" })).toMatchObject(refused);
  expect(await call(platform, member, "update", { memberId: member.userId, role: "member" })).toMatchObject(refused);
  expect(await call(platform, member, "remove", { memberId: admin.userId })).toMatchObject(refused);
  const made = await call(platform, ada, "update", { memberId: String(member.userId), role: "admin" });
  expect(made).toMatchObject({ status: 200, body: { member: { memberId: member.userId, role: "admin" } } });
  expect((await call(platform, ada, "remove", { memberId: other.userId })).status).toBe(200);
  expect(await listAuditActions(platform, ada.organizationId)).toEqual(["member.role_changed", "member.removed"]);
});

test("ownership is transferred by promoting another member to owner, and the last owner can't leave", async ({
  platform,
}) => {
  const ada = await platform.addUser();
  const bob = await platform.addMember(ada.organizationId, "member");
  const lastOwner = { status: 409, body: { code: "VALIDATION_ERROR", details: { reason: "LAST_OWNER" } } };
  expect(await call(platform, ada, "update", { memberId: ada.userId, role: "member" })).toMatchObject(lastOwner);
  expect(await call(platform, ada, "remove", { memberId: ada.userId })).toMatchObject(lastOwner);
  expect((await call(platform, ada, "update", { memberId: bob.userId, role: "owner" })).status).toBe(200);
  expect((await call(platform, ada, "update", { memberId: ada.userId, role: "admin" })).status).toBe(200);
  const { body } = await platform.api("GET", "/api/gw/organizations/list", { token: bob.token });
  expect(body.data).toMatchObject([{ role: "owner", ownerId: bob.userId }]);
});

test("if two owners demote or remove each other concurrently, one owner remains", async ({ platform }) => {
  for (const verb of ["update", "remove"]) {
    const ada = await platform.addUser();
    const bob = await platform.addMember(ada.organizationId, "owner");
    const answers = await Promise.all([
      call(platform, ada, verb, { memberId: bob.userId, role: "member" }),
      call(platform, bob, verb, { memberId: ada.userId, role: "member" }),
    ]);
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses[0]).toBe(200);
    expect([403, 404, 409]).toContain(statuses[1]);
    const winner = answers[0].status === 200 ? ada : bob;
    const owners = Object.values(await rolesOf(platform, winner)).filter((role) => role === "owner");
    expect(owners).toEqual(["owner"]);
  }
});

test("a removed member loses access at the next request, but their keys stay active unless revokeKeys is set", async ({
  platform,
}) => {
  const ada = await platform.addUser();
  const bob = await platform.addMember(ada.organizationId, "member", { [ada.teamId]: "member" });
  const eve = await platform.addMember(ada.organizationId, "member", { [ada.teamId]: "member" });
  const keyOfBob = await addKey(platform, bob);
  const keyOfEve = await addKey(platform, eve);
  expect((await call(platform, ada, "remove", { memberId: bob.userId })).body).toEqual({
    removed: true,
    revokedKeys: 0,
  });
  expect(await listLiveKeys(platform, ada.organizationId)).toContain(keyOfBob);
  expect(await platform.api("GET", "/api/gw/teams", { token: bob.token })).toMatchObject({
    status: 403,
    body: { details: { reason: "NO_ACTIVE_ORGANIZATION" } },
  });
  expect((await platform.api("GET", `/api/gw/teams/${ada.teamId}`, { token: bob.token })).status).toBe(404);
  // Any member can leave an organization, regardless of role.
  expect((await call(platform, eve, "remove", { memberId: eve.userId, revokeKeys: true })).body).toEqual({
    removed: true,
    revokedKeys: 1,
  });
  expect(await listLiveKeys(platform, ada.organizationId)).not.toContain(keyOfEve);
  expect((await call(platform, ada, "remove", { memberId: bob.userId })).status).toBe(404);
  expect(await listEvents(platform, ada.organizationId)).toEqual([
    { type: "member.removed", data: { userId: bob.userId, scope: "organization" } },
    { type: "key.revoked", data: { keyId: keyOfEve, teamId: ada.teamId } },
    { type: "member.removed", data: { userId: eve.userId, scope: "organization" } },
  ]);
});

test("removing a member revokes pending invitations sent to or by that member", async ({ platform }) => {
  const ada = await platform.addUser();
  const bob = await platform.addUser();
  const carol = await platform.addUser();
  const accept = (who: TestUser, invitationId: string) =>
    platform.api("POST", "/api/invitations/accept", { token: who.token, body: { invitationId } });
  const intoTeam = await platform.api("POST", "/api/gw/teams/invite-member", {
    token: ada.token,
    body: { teamId: ada.teamId, email: bob.email },
  });
  const first = await call(platform, ada, "invite", { email: bob.email, role: "admin" });
  expect((await accept(bob, first.body.invitation.id)).status).toBe(200);
  const own = await call(platform, bob, "invite", { email: carol.email }, ada.organizationId);
  const other = await call(platform, ada, "invite", { email: "dave@example.org" });
  expect((await call(platform, ada, "remove", { memberId: bob.userId })).status).toBe(200);
  expect((await accept(bob, intoTeam.body.invitation.id)).status).toBe(404);
  expect((await accept(carol, own.body.invitation.id)).status).toBe(404);
  expect((await call(platform, ada, "remove", { memberId: other.body.invitation.id })).status).toBe(200);
});

test("if an invitation is accepted during the member's removal, the user stays removed and no deadlock occurs", async ({
  platform,
}) => {
  const ada = await platform.addUser();
  for (let round = 0; round < 8; round += 1) {
    const bob = await platform.addUser();
    const inTeam = { teamId: ada.teamId, email: bob.email };
    const invited = await platform.api("POST", "/api/gw/teams/invite-member", { token: ada.token, body: inTeam });
    const first = await call(platform, ada, "invite", { email: bob.email });
    const accept = ({ body }: typeof first) =>
      platform.api("POST", "/api/invitations/accept", {
        token: bob.token,
        body: { invitationId: body.invitation.id },
      });
    expect((await accept(first)).status).toBe(200);
    const [accepted, removed] = await Promise.all([
      accept(invited),
      call(platform, ada, "remove", { memberId: bob.userId }),
    ]);
    expect([200, 404]).toContain(accepted.status);
    expect(removed.status).toBe(200);
    expect(await rolesOf(platform, ada)).toEqual({ [ada.userId]: "owner" });
  }
});

test("returns 404 for members and invitations of another organization, and 400 for invalid IDs and roles", async ({
  platform,
}) => {
  const ada = await platform.addUser();
  const bob = await platform.addUser();
  const foreign = await call(platform, bob, "invite", { email: "carol@example.org" });
  const { id } = foreign.body.invitation;
  expect((await call(platform, ada, "update", { memberId: bob.userId, role: "member" })).status).toBe(404);
  expect((await call(platform, ada, "remove", { memberId: bob.userId })).status).toBe(404);
  expect((await call(platform, ada, "remove", { memberId: id })).status).toBe(404);
  for (const verb of ["invite", "remove", "update"]) {
    const body = { memberId: bob.userId, role: "member", email: "dave@example.org" };
    expect((await call(platform, ada, verb, body, bob.organizationId)).status).toBe(404);
  }
  for (const memberId of [0, -1, 1.5, "x", "01", "team_x", 2 ** 40]) {
    expect((await call(platform, ada, "remove", { memberId })).status).toBe(400);
  }
  expect((await call(platform, ada, "update", { memberId: ada.userId, role: "king" })).status).toBe(400);
});

test.for([
  ["owner", "admin"],
  ["owner", "member"],
  ["admin", "member"],
] as const)(
  "lowering a role from %s to %s revokes the pending invitations that the member sent",
  async ([before, after], { platform }) => {
    const ada = await platform.addUser();
    const lowered = await platform.addMember(ada.organizationId, before);
    const accomplice = await platform.addUser();
    const role = before === "owner" ? "admin" : "member";
    const sent = await call(platform, lowered, "invite", { email: accomplice.email, role });
    expect(sent.status).toBe(202);
    expect((await call(platform, ada, "update", { memberId: lowered.userId, role: after })).status).toBe(200);
    const body = { invitationId: sent.body.invitation.id };
    expect((await platform.api("POST", "/api/invitations/accept", { token: accomplice.token, body })).status).toBe(404);
  },
);

test("raising a role keeps the pending invitations that the member sent", async ({ platform }) => {
  const ada = await platform.addUser();
  const raised = await platform.addMember(ada.organizationId, "admin");
  const bob = await platform.addUser();
  const sent = await call(platform, raised, "invite", { email: bob.email });
  expect((await call(platform, ada, "update", { memberId: raised.userId, role: "owner" })).status).toBe(200);
  const body = { invitationId: sent.body.invitation.id };
  expect((await platform.api("POST", "/api/invitations/accept", { token: bob.token, body })).status).toBe(200);
});
