import type { TestUser } from "@tollgate/platform/people.fixture.ts";
import type { TestPlatform } from "@tollgate/platform/platform.fixture.ts";

/** Users of every role in and around one organization with two teams, and a second organization. */
export interface World {
  readonly platform: TestPlatform;
  readonly actors: Readonly<Record<ActorName, TestUser>>;
  readonly organizations: { readonly first: string; readonly second: string };
  readonly teams: { readonly one: string; readonly two: string; readonly foreign: string };
}

export const actorNames = [
  "administrator",
  "owner",
  "organizationAdmin",
  "organizationMember",
  "teamAdmin",
  "teamMember",
  "foreignOwner",
  "foreignMember",
] as const;
export type ActorName = (typeof actorNames)[number];

/** Creates a new test setup for one sequence of calls. */
export async function buildWorld(platform: TestPlatform): Promise<World> {
  const administrator = await platform.addUser({ role: "admin" });
  const owner = await platform.addUser();
  const foreignOwner = await platform.addUser();
  const first = owner.organizationId;
  const made = await platform.api("POST", "/api/gw/teams", { token: owner.token, body: { name: "Two" } });
  if (made.status !== 201) throw new Error(`a team could not be made: ${made.text}`);
  const teams = { one: owner.teamId, two: made.body.team.id as string, foreign: foreignOwner.teamId };
  return {
    platform,
    actors: {
      administrator,
      owner,
      foreignOwner,
      organizationAdmin: await platform.addMember(first, "admin"),
      organizationMember: await platform.addMember(first, "member"),
      teamAdmin: await platform.addMember(first, "member", { [teams.one]: "admin" }),
      teamMember: await platform.addMember(first, "member", { [teams.one]: "member" }),
      foreignMember: await platform.addMember(foreignOwner.organizationId, "member", { [teams.foreign]: "member" }),
    },
    organizations: { first, second: foreignOwner.organizationId },
    teams,
  };
}
