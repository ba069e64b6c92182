import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import type { OrganizationRole, TeamRole } from "@tollgate/domain/roles/roles.ts";
import { test } from "@tollgate/testkit/test.ts";
import fc from "fast-check";
import { expect, onTestFinished } from "vitest";
import type { TestUser } from "../people.fixture.ts";
import { startTestPlatform, type TestPlatform } from "../platform.fixture.ts";

const PEOPLE = 5;
const person = fc.nat({ max: PEOPLE - 1 });
const attempt = fc.record({
  actor: person,
  target: person,
  verb: fc.constantFrom("organization/update", "organization/remove", "team/update", "team/remove", "team/invite"),
  role: fc.constantFrom("owner", "admin", "member"),
  /** Columns that clients must not be able to set. */
  extra: fc.constantFrom({}, { ownerId: 1, owner_id: 1, user_id: 1, organization_id: "org_x", status: "owner" }),
});
type Attempt = typeof attempt extends fc.Arbitrary<infer Value> ? Value : never;
type Roles = Readonly<Record<number, { organization: OrganizationRole; team: TeamRole | null }>>;

test("no sequence of member changes grants more than the actor's role or leaves an organization without an owner", async ({
  database,
}) => {
  const platform = await startTestPlatform(database);
  onTestFinished(() => platform.close());
  await fc.assert(
    fc.asyncProperty(fc.array(attempt, { minLength: 4, maxLength: 14 }), async (attempts) => {
      const owner = await platform.addUser();
      const { organizationId, teamId } = owner;
      const people = [
        owner,
        await platform.addMember(organizationId, "owner"),
        await platform.addMember(organizationId, "admin"),
        await platform.addMember(organizationId, "member", { [teamId]: "admin" }),
        await platform.addMember(organizationId, "member", { [teamId]: "member" }),
      ];
      for (const one of attempts) {
        const before = await readRoles(platform, organizationId);
        const status = await make(platform, people, owner, one);
        checkStep(before, await readRoles(platform, organizationId), people, one, status);
      }
    }),
    { numRuns: 12 },
  );
});

async function make(
  platform: TestPlatform,
  people: readonly TestUser[],
  owner: TestUser,
  one: Attempt,
): Promise<number> {
  const [noun, verb] = one.verb.split("/");
  const path = noun === "team" ? "/api/gw/teams" : `/api/gw/organizations/${owner.organizationId}`;
  const target = people[one.target] as TestUser;
  const body = { ...one.extra, teamId: owner.teamId, memberId: target.userId, email: target.email, role: one.role };
  const { token } = people[one.actor] as TestUser;
  return (await platform.api("POST", `${path}/${verb}-member`, { token, body })).status;
}

function checkStep(before: Roles, after: Roles, people: readonly TestUser[], one: Attempt, status: number): void {
  expect(status).toBeLessThan(500);
  if (status >= 400) expect(after).toEqual(before);
  expect(Object.values(after).some(({ organization }) => organization === "owner")).toBe(true);
  const actor = (people[one.actor] as TestUser).userId;
  for (const { userId } of people) {
    const was = before[userId];
    const is = after[userId];
    if (JSON.stringify(was) === JSON.stringify(is)) continue;
    const giver = before[actor];
    expect(giver).toBeDefined();
    const isLeaving = userId === actor && (is === undefined || is.team === null);
    if (isLeaving) continue;
    const touches = [was?.organization, is?.organization];
    if (was?.organization !== is?.organization) {
      expect(giver?.organization).not.toBe("member");
      if (touches.includes("owner") || touches.includes("admin")) expect(giver?.organization).toBe("owner");
    } else {
      expect(giver?.organization !== "member" || giver?.team === "admin").toBe(true);
    }
  }
}

async function readRoles(platform: TestPlatform, organizationId: string): Promise<Roles> {
  const rows = await runAsAdministrator(platform.services.db, (transaction) =>
    transaction
      .selectFrom("organization_members as m")
      .leftJoin("team_members as t", (join) =>
        join.onRef("t.organization_id", "=", "m.organization_id").onRef("t.user_id", "=", "m.user_id"),
      )
      .select(["m.user_id", "m.role as organization", "t.role as team"])
      .where("m.organization_id", "=", organizationId)
      .execute(),
  );
  return Object.fromEntries(rows.map(({ user_id, ...roles }) => [user_id, roles]));
}
