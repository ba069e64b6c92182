import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { openPlatform } from "../../chaos/stage/account.ts";
import { type Case, type CaseContext, type CaseOutcome, inBatches } from "../case.ts";
import { askOrThrow, askPlatform, makeEmail, type Person, signUpPerson, tally } from "../client/ask-platform.ts";
import type { AdversaryStage } from "../stage/stage.ts";

const MAX_PER_MAILBOX = 10;
const TOGETHER = 10;
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const TOKEN_LENGTH = 43;

export const invitationCases: readonly Case[] = [
  {
    name: "invitation-reuse",
    promise: "An invitation works once, for one email address, until it is revoked, replaced, declined, or expired",
    guards: "row 10",
    isQuick: true,
    run: reuseInvitations,
  },
  {
    name: "invitation-roles",
    promise: "An invitation grants its role only, and nothing after its sender has lost that role",
    guards: "row 10, decision 91",
    isQuick: true,
    run: escalateRoles,
  },
  {
    name: "invitation-flood",
    promise: "One mailbox gets at most 10 invitations per day, and no response reveals whether it has an account",
    guards: "row 10, decision 91",
    isQuick: true,
    run: floodMailbox,
  },
];

interface Sent {
  readonly id: string;
  readonly token: string;
}

async function inviteToTeam(stage: AdversaryStage, sender: Person, email: string, role = "member"): Promise<Sent> {
  const body = { teamId: sender.teamId, email, role };
  return readSent(await askOrThrow(stage, "POST", "/api/gw/teams/invite-member", { token: sender.token, body }));
}

async function inviteToOrganization(
  stage: AdversaryStage,
  { token }: Person,
  organizationId: string,
  body: object,
): Promise<Sent> {
  const path = `/api/gw/organizations/${organizationId}/invite-member`;
  return readSent(await askOrThrow(stage, "POST", path, { token, body }));
}

// biome-ignore lint/suspicious/noExplicitAny: a response of another form fails the case.
function readSent({ body }: { readonly body: any }): Sent {
  return { id: body.invitation.id, token: String(body.inviteUrl).split("#token=")[1] ?? "" };
}

const accept = (stage: AdversaryStage, { token }: Person, body: object) =>
  askPlatform(stage, "POST", "/api/invitations/accept", { token, body });

async function reuseInvitations({ stage, random, isQuick }: CaseContext): Promise<CaseOutcome> {
  await openPlatform(stage);
  const problems: string[] = [];
  const [ada, eve, bob] = [await signUpPerson(stage), await signUpPerson(stage), await signUpPerson(stage)];
  const expectUnknown = async (what: string, who: Person, token: string) => {
    const { status } = await accept(stage, who, { token });
    if (status !== 404) problems.push(`${what} was answered ${status}`);
  };
  const open = await inviteToTeam(stage, ada, bob.email);
  await expectUnknown("another account's invitation", eve, open.token);
  const byId = await accept(stage, eve, { invitationId: open.id });
  if (byId.status !== 403 && byId.status !== 404) problems.push(`another account's ID was answered ${byId.status}`);
  const both = await Promise.all([1, 2, 3].map(() => accept(stage, bob, { token: open.token })));
  const counts = tally(both);
  if (counts["200"] !== 1 || both.filter(({ status }) => status === 404).length !== 2) {
    problems.push(`one invitation, accepted three times, was answered ${JSON.stringify(counts)}`);
  }
  await expectUnknown("a used invitation", bob, open.token);
  const guesses = Array.from({ length: isQuick ? 40 : 200 }, (_, index) =>
    index % 2 === 0 ? changeOne(open.token, random.integer(0, TOKEN_LENGTH - 1)) : makeToken(random),
  );
  for (const reply of await inBatches(guesses, TOGETHER, (token) => accept(stage, eve, { token }))) {
    if (reply.status !== 404) problems.push(`a guessed token was answered ${reply.status}`);
  }
  const mallory = await signUpPerson(stage);
  const revoked = await inviteToTeam(stage, ada, mallory.email);
  await askOrThrow(stage, "DELETE", `/api/invitations/${revoked.id}`, { token: ada.token });
  await expectUnknown("a revoked invitation", mallory, revoked.token);
  const replaced = await inviteToTeam(stage, ada, mallory.email);
  const declined = await inviteToTeam(stage, ada, mallory.email);
  await expectUnknown("a replaced invitation", mallory, replaced.token);
  await askOrThrow(stage, "POST", "/api/invitations/decline", {
    token: mallory.token,
    body: { token: declined.token },
  });
  await expectUnknown("a declined invitation", mallory, declined.token);
  const expired = await inviteToTeam(stage, ada, mallory.email);
  await runAsAdministrator(stage.platform, (transaction) =>
    transaction
      .updateTable("invitations")
      .set({ expires_at: new Date(0) })
      .where("id", "=", expired.id)
      .execute(),
  );
  await expectUnknown("an expired invitation", mallory, expired.token);
  return { calls: [], problems };
}

async function escalateRoles({ stage }: CaseContext): Promise<CaseOutcome> {
  await openPlatform(stage);
  const problems: string[] = [];
  const [owner, partner, eve] = [await signUpPerson(stage), await signUpPerson(stage), await signUpPerson(stage)];
  const { organizationId } = owner;
  const members = `/api/gw/organizations/${organizationId}`;
  const expectStatus = async (what: string, asked: ReturnType<typeof askPlatform>, ...expected: readonly number[]) => {
    const { status } = await asked;
    if (!expected.includes(status)) problems.push(`${what} was answered ${status}`);
  };
  const changeRole = (memberId: number, role: string, who = owner) =>
    askOrThrow(stage, "POST", `${members}/update-member`, { token: who.token, body: { memberId, role } });

  const asMember = await inviteToOrganization(stage, owner, organizationId, { email: eve.email });
  await expectStatus("a role in an acceptance", accept(stage, eve, { token: asMember.token, role: "owner" }), 200, 400);
  await accept(stage, eve, { token: asMember.token });
  const { body } = await askOrThrow(stage, "GET", `${members}/members`, { token: owner.token });
  const role = body.data.find(({ userId }: { userId: number }) => userId === eve.userId)?.role;
  if (role !== "member") problems.push(`the accepted invitation made a ${role}`);
  const invite = (who: Person, of: string, sent: object) =>
    askPlatform(stage, "POST", `/api/gw/organizations/${of}/invite-member`, { token: who.token, body: sent });
  await expectStatus("a member's invitation", invite(eve, organizationId, { email: makeEmail() }), 403);
  await expectStatus(
    "an invitation of an owner",
    invite(owner, organizationId, { email: makeEmail(), role: "owner" }),
    400,
  );
  await expectStatus(
    "an invitation to a foreign organization",
    invite(partner, organizationId, { email: makeEmail() }),
    404,
  );
  const foreignTeam = askPlatform(stage, "POST", "/api/gw/teams/invite-member", {
    token: partner.token,
    body: { teamId: owner.teamId, email: makeEmail() },
  });
  await expectStatus("an invitation to a foreign team", foreignTeam, 404);
  await changeRole(eve.userId, "admin");
  await expectStatus(
    "an admin's invitation of an admin",
    invite(eve, organizationId, { email: makeEmail(), role: "admin" }),
    403,
  );

  // Members who lose a role must not have passed it on.
  // Each accomplice gets one invitation, because a member cannot be invited again.
  const [accomplice, second, third] = [await signUpPerson(stage), await signUpPerson(stage), await signUpPerson(stage)];
  const asAdmin = await inviteToOrganization(stage, owner, organizationId, { email: partner.email, role: "admin" });
  await accept(stage, partner, { token: asAdmin.token });
  await changeRole(partner.userId, "owner");
  const asPartner = await inviteToOrganization(stage, partner, organizationId, {
    email: accomplice.email,
    role: "admin",
  });
  const byAdmin = await inviteToOrganization(stage, eve, organizationId, { email: second.email });
  await changeRole(partner.userId, "member");
  await changeRole(eve.userId, "member");
  await expectStatus("a demoted owner's invitation", accept(stage, accomplice, { token: asPartner.token }), 404);
  await expectStatus("a demoted admin's invitation", accept(stage, second, { token: byAdmin.token }), 404);
  await changeRole(partner.userId, "admin");
  const byRemoved = await inviteToOrganization(stage, partner, organizationId, { email: third.email });
  const removal = { token: owner.token, body: { memberId: partner.userId } };
  await askOrThrow(stage, "POST", `${members}/remove-member`, removal);
  await expectStatus("a removed admin's invitation", accept(stage, third, { token: byRemoved.token }), 404);
  return { calls: [], problems };
}

async function floodMailbox({ stage, isQuick }: CaseContext): Promise<CaseOutcome> {
  await openPlatform(stage);
  const problems: string[] = [];
  const [attacker, victim] = [await signUpPerson(stage), await signUpPerson(stage)];
  const organizations = [attacker.organizationId];
  for (let count = 0; count < (isQuick ? 2 : 6); count += 1) {
    const body = { name: `Flood ${makeEmail()}` };
    const created = await askOrThrow(stage, "POST", "/api/gw/organizations", { token: attacker.token, body });
    organizations.push(created.body.organization.id);
  }
  const unknown = makeEmail();
  const responses: string[][] = [];
  for (const email of [victim.email, unknown]) {
    const asked = organizations.flatMap((id) => Array.from({ length: 8 }, () => id));
    const replies = await inBatches(asked, TOGETHER, (id) =>
      askPlatform(stage, "POST", `/api/gw/organizations/${id}/invite-member`, {
        token: attacker.token,
        body: { email },
      }),
    );
    const sent = replies.filter(({ status }) => status === 202).length;
    if (sent !== MAX_PER_MAILBOX) problems.push(`${sent} of ${asked.length} invitations to one mailbox were sent`);
    responses.push([...new Set(replies.map(describe))].toSorted());
  }
  const [known, other] = responses;
  if (known?.join() !== other?.join()) problems.push(`an account is revealed: ${known} or ${other}`);
  return { calls: [], problems };
}

/** Describes the form of a response, without the values that differ between any two invitations. */
function describe({ status, reason, body }: Awaited<ReturnType<typeof askPlatform>>): string {
  const invitation = Object.entries(body.invitation ?? {}).map(([name, value]) => `${name}:${typeof value}`);
  return [status, reason, body.error ?? "", ...Object.keys(body).toSorted(), ...invitation].join(" ");
}

const makeToken = (random: CaseContext["random"]): string =>
  Array.from({ length: TOKEN_LENGTH }, () => random.pick([...LETTERS])).join("");

/** Replaces one character, so that every attempt differs from the real token. */
function changeOne(token: string, at: number): string {
  const next = LETTERS[(LETTERS.indexOf(token[at] ?? "A") + 17) % LETTERS.length];
  return token.slice(0, at) + next + token.slice(at + 1);
}
