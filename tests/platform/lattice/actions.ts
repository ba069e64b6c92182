import type { Random } from "../../random.ts";
import type { Rights, Snapshot } from "./snapshot.ts";
import { type ActorName, actorNames, type World } from "./world.ts";

/**
 * API call by one user, and whether the rules allow it. This model follows the documented rules, not the product's
 * code.
 */
export interface Action {
  readonly actor: ActorName;
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly isAllowed: (rights: Rights) => boolean;
  /** Organization whose rows the call may change; null for instance-wide rows or a new organization. */
  readonly organizationId: string | null;
}

interface Draw {
  readonly world: World;
  readonly snapshot: Snapshot;
  readonly random: Random;
  readonly userId: number;
}

type Sketch = Omit<Action, "actor" | "name">;

const sketches: Readonly<Record<string, (draw: Draw) => Sketch | null>> = {
  renameOrganization: ({ world, random, userId }) => {
    const organizationId = random.pick(Object.values(world.organizations));
    return {
      method: "PUT",
      path: "/api/gw/organizations",
      body: { organizationId, name: `Renamed ${random.integer(1, 1_000_000)}` },
      organizationId,
      isAllowed: (rights) => manages(rights, userId, organizationId),
    };
  },
  createOrganization: ({ random }) => ({
    method: "POST",
    path: "/api/gw/organizations",
    body: { name: `New ${random.integer(1, 1_000_000)}` },
    organizationId: null,
    isAllowed: () => true,
  }),
  inviteToOrganization: ({ world, random, userId }) => {
    const organizationId = random.pick(Object.values(world.organizations));
    const role = random.pick(["member", "admin"]);
    return {
      method: "POST",
      path: `/api/gw/organizations/${organizationId}/invite-member`,
      body: { email: someEmail(world, random), role },
      organizationId,
      isAllowed: (rights) =>
        role === "admin"
          ? rights.organizationRole(userId, organizationId) === "owner"
          : manages(rights, userId, organizationId),
    };
  },
  removeFromOrganization: ({ world, random, userId }) => {
    const organizationId = random.pick(Object.values(world.organizations));
    const memberId = someUser(world, random);
    return {
      method: "POST",
      path: `/api/gw/organizations/${organizationId}/remove-member`,
      body: { memberId },
      organizationId,
      isAllowed: (rights) => {
        const target = rights.organizationRole(memberId, organizationId);
        const own = rights.organizationRole(userId, organizationId);
        if (memberId === userId) return own !== null;
        return target === "member" ? own === "admin" || own === "owner" : own === "owner";
      },
    };
  },
  changeOrganizationRole: ({ world, random, userId }) => {
    const organizationId = random.pick(Object.values(world.organizations));
    const memberId = someUser(world, random);
    const role = random.pick(["owner", "admin", "member"]);
    return {
      method: "POST",
      path: `/api/gw/organizations/${organizationId}/update-member`,
      body: { memberId, role },
      organizationId,
      // An admin may set the role of a plain member to "member". The owner may make any change.
      isAllowed: (rights) =>
        rights.organizationRole(userId, organizationId) === "owner" ||
        (role === "member" &&
          rights.organizationRole(memberId, organizationId) === "member" &&
          manages(rights, userId, organizationId)),
    };
  },
  createTeam: ({ world, random, userId }) => {
    const organizationId = random.pick(Object.values(world.organizations));
    return {
      method: "POST",
      path: "/api/gw/teams",
      body: { name: `Team ${random.integer(1, 1_000_000)}` },
      headers: { "x-gw-organization": organizationId },
      organizationId,
      isAllowed: (rights) => manages(rights, userId, organizationId),
    };
  },
  changeTeam: ({ world, random, userId }) => {
    const { teamId, organizationId } = someTeam(world, random);
    return {
      method: "PUT",
      path: `/api/gw/teams/${teamId}`,
      body: random.pick([
        { name: `Team ${random.integer(1, 1_000_000)}` },
        { budget: { limit: random.integer(1, 1_000_000), period: "monthly" } },
        { rateLimit: { rpm: random.integer(1, 1_000) } },
        { models: ["some-model"] },
      ]),
      headers: { "x-gw-organization": organizationId },
      organizationId,
      isAllowed: (rights) => leads(rights, userId, organizationId, teamId),
    };
  },
  deleteTeam: ({ world, random, userId }) => {
    const { teamId, organizationId } = someTeam(world, random);
    return {
      method: "DELETE",
      path: `/api/gw/teams/${teamId}`,
      headers: { "x-gw-organization": organizationId },
      organizationId,
      isAllowed: (rights) => manages(rights, userId, organizationId),
    };
  },
  inviteToTeam: ({ world, random, userId }) => {
    const { teamId, organizationId } = someTeam(world, random);
    return {
      method: "POST",
      path: "/api/gw/teams/invite-member",
      body: { teamId, teamName: "x", email: someEmail(world, random), role: random.pick(["member", "admin"]) },
      headers: { "x-gw-organization": organizationId },
      organizationId,
      isAllowed: (rights) => leads(rights, userId, organizationId, teamId),
    };
  },
  removeFromTeam: ({ world, random, userId }) => {
    const { teamId, organizationId } = someTeam(world, random);
    const memberId = someUser(world, random);
    return {
      method: "POST",
      path: "/api/gw/teams/remove-member",
      body: { teamId, memberId, revokeKeys: random.chance(0.2) },
      headers: { "x-gw-organization": organizationId },
      organizationId,
      isAllowed: (rights) =>
        leads(rights, userId, organizationId, teamId) ||
        (memberId === userId && rights.teamRole(userId, teamId) !== null),
    };
  },
  changeTeamRole: ({ world, random, userId }) => {
    const { teamId, organizationId } = someTeam(world, random);
    return {
      method: "POST",
      path: "/api/gw/teams/update-member",
      body: { teamId, memberId: someUser(world, random), role: random.pick(["member", "admin"]) },
      headers: { "x-gw-organization": organizationId },
      organizationId,
      isAllowed: (rights) => leads(rights, userId, organizationId, teamId),
    };
  },
  createKey: ({ world, random, userId }) => {
    const { teamId, organizationId } = someTeam(world, random);
    return {
      method: "POST",
      path: "/api/gw/api-keys",
      body: { name: "made", team_id: teamId },
      headers: { "x-gw-organization": organizationId },
      organizationId,
      isAllowed: (rights) =>
        manages(rights, userId, organizationId) ||
        (rights.organizationRole(userId, organizationId) !== null && rights.teamRole(userId, teamId) !== null),
    };
  },
  changeKey: (draw) =>
    keyAction(draw, "/api/api-keys/update", (token) => ({
      token,
      ...draw.random.pick([{ name: "x" }, { disabled: true }, { models: ["m"] }]),
    })),
  rotateKey: (draw) => keyAction(draw, "/api/api-keys/rotate", (apiKey) => ({ apiKey })),
  removeKey: (draw) => keyAction(draw, "/api/api-keys/remove", (apiKey) => ({ apiKey })),
  cancelInvitation: ({ snapshot, random, userId }) => {
    const found = pickRow(snapshot, "invitation:", random);
    if (found === null) return null;
    const [, organizationId = "", id = ""] = found.name.split(":");
    const [teamId = "", invitedBy] = found.value.split("|");
    return {
      method: "DELETE",
      path: `/api/invitations/${id}`,
      headers: { "x-gw-organization": organizationId },
      organizationId,
      // Inviters may revoke their invitations while they are members.
      isAllowed: (rights) =>
        manages(rights, userId, organizationId) ||
        (teamId !== "none" && leads(rights, userId, organizationId, teamId)) ||
        (Number(invitedBy) === userId && rights.organizationRole(userId, organizationId) !== null),
    };
  },
  acceptInvitation: ({ world, snapshot, random, userId }) => {
    const found = pickRow(snapshot, "invitation:", random);
    if (found === null) return null;
    const [, organizationId = "", invitationId = ""] = found.name.split(":");
    const email = Object.values(world.actors).find((actor) => actor.userId === userId)?.email ?? "";
    return {
      method: "POST",
      path: "/api/invitations/accept",
      body: { invitationId },
      organizationId,
      isAllowed: () => found.value.includes(email) && found.value.endsWith("pending"),
    };
  },
  buyCredits: ({ world, random, userId }) => {
    const organizationId = random.pick(Object.values(world.organizations));
    return {
      method: "POST",
      path: "/api/credits/purchases",
      body: { amount: 5_000_000_000 },
      headers: { "x-gw-organization": organizationId, "idempotency-key": `buy-${random.integer(1, 1_000_000_000)}` },
      organizationId,
      isAllowed: (rights) => manages(rights, userId, organizationId),
    };
  },
  addWebhook: ({ world, random, userId }) => {
    const organizationId = random.pick(Object.values(world.organizations));
    return {
      method: "POST",
      path: "/api/webhooks",
      body: { url: "https://93.184.215.14/hook", events: ["balance.low"] },
      headers: { "x-gw-organization": organizationId },
      organizationId,
      isAllowed: (rights) => manages(rights, userId, organizationId),
    };
  },
  closeOrganization: ({ world, snapshot, random, userId }) => {
    // Draw this action rarely, because few actions are possible after it.
    if (!random.chance(0.1)) return null;
    const organizationId = random.pick(Object.values(world.organizations));
    const name = snapshot.get(`organization:${organizationId}`)?.split("|")[0] ?? "";
    return {
      method: "POST",
      path: `/api/gw/organizations/${organizationId}/close`,
      body: { confirm: name },
      organizationId,
      isAllowed: (rights) => rights.organizationRole(userId, organizationId) === "owner",
    };
  },
  changeUser: ({ world, random, userId }) => ({
    method: "PATCH",
    path: `/api/admin/users/${someUser(world, random)}`,
    body: random.pick([{ role: "admin" }, { role: "user" }, { status: "disabled" }, { status: "active" }]),
    organizationId: null,
    isAllowed: (rights) => rights.isAdministrator(userId),
  }),
  grantCredits: ({ world, random, userId }) => {
    const organizationId = random.pick(Object.values(world.organizations));
    return {
      method: "POST",
      path: `/api/admin/organizations/${organizationId}/credits`,
      body: { amount: random.pick([1_000_000_000, -1_000_000]), reason: "because" },
      headers: { "idempotency-key": `grant-${random.integer(1, 1_000_000_000)}` },
      organizationId,
      isAllowed: (rights) => rights.isAdministrator(userId),
    };
  },
  blockTeam: ({ world, random, userId }) => {
    const { teamId, organizationId } = someTeam(world, random);
    return {
      method: "POST",
      path: `/api/admin/teams/${teamId}/${random.pick(["block", "unblock"])}`,
      body: { reason: "because" },
      organizationId,
      isAllowed: (rights) => rights.isAdministrator(userId),
    };
  },
  addProvider: ({ random, userId }) => ({
    method: "POST",
    path: "/api/admin/providers",
    body: {
      slug: `provider-${random.integer(1, 1_000_000_000)}`,
      name: "Made",
      kind: "openai",
      baseUrl: "https://93.184.215.14/v1",
      apiKey: "sk-upstream",
    },
    organizationId: null,
    isAllowed: (rights) => rights.isAdministrator(userId),
  }),
};

const actionNames = Object.keys(sketches);

/** Draws a call that a user might try. */
export function drawAction(world: World, snapshot: Snapshot, random: Random): Action {
  for (;;) {
    const actor = random.pick(actorNames);
    const name = random.pick(actionNames);
    const sketch = sketches[name]?.({ world, snapshot, random, userId: world.actors[actor].userId }) ?? null;
    if (sketch !== null) return { ...sketch, actor, name };
  }
}

function keyAction({ snapshot, random, userId }: Draw, path: string, body: (id: string) => unknown): Sketch | null {
  const found = pickRow(snapshot, "key:", random);
  if (found === null) return null;
  const [, organizationId = "", id = ""] = found.name.split(":");
  const [teamId = "", madeBy] = found.value.split("|");
  return {
    method: "POST",
    path,
    body: body(id),
    headers: { "x-gw-organization": organizationId },
    organizationId,
    isAllowed: (rights) =>
      leads(rights, userId, organizationId, teamId) ||
      (Number(madeBy) === userId && rights.organizationRole(userId, organizationId) !== null),
  };
}

const manages = (rights: Rights, userId: number, organizationId: string): boolean =>
  ["owner", "admin"].includes(rights.organizationRole(userId, organizationId) ?? "");

const leads = (rights: Rights, userId: number, organizationId: string, teamId: string): boolean =>
  manages(rights, userId, organizationId) ||
  (rights.organizationRole(userId, organizationId) !== null && rights.teamRole(userId, teamId) === "admin");

const someUser = (world: World, random: Random): number => random.pick(Object.values(world.actors)).userId;

function someTeam({ teams, organizations }: World, random: Random): { teamId: string; organizationId: string } {
  const teamId = random.pick(Object.values(teams));
  return { teamId, organizationId: teamId === teams.foreign ? organizations.second : organizations.first };
}

function someEmail(world: World, random: Random): string {
  return random.chance(0.6)
    ? random.pick(Object.values(world.actors)).email
    : `new-${random.integer(1, 1_000_000)}@example.org`;
}

function pickRow(snapshot: Snapshot, prefix: string, random: Random): { name: string; value: string } | null {
  const rows = [...snapshot].filter(([name]) => name.startsWith(prefix));
  if (rows.length === 0) return null;
  const [name, value] = random.pick(rows);
  return { name, value };
}
