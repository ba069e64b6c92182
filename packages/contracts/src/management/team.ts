import type { TeamRole } from "@tollgate/domain/roles/roles.ts";
import Type, { type Static } from "typebox";
import { Budget, BudgetInput, type BudgetState, Models, RateLimit, RateLimitInput, toBudget } from "./budget.ts";
import { Name, NullableTime, nullable, Search, Time } from "./fields.ts";
import { Invitation } from "./invitation.ts";
import { listOf, pageFields, sortBy } from "./lists.ts";
import { TeamMember, TeamRoleName } from "./member.ts";

const TeamStatus = Type.Union([Type.Literal("active"), Type.Literal("blocked")]);

export const Team = Type.Object({
  id: Type.String(),
  organizationId: Type.String(),
  name: Type.String(),
  status: TeamStatus,
  blockedReason: nullable(Type.String()),
  blockedAt: NullableTime,
  role: nullable(TeamRoleName),
  memberCount: Type.Integer(),
  keyCount: Type.Integer({ description: "Number of keys, excluding revoked ones" }),
  budget: nullable(Budget),
  rateLimit: RateLimit,
  models: Models,
  createdAt: Time,
  updatedAt: Time,
});

export const TeamAnswer = Type.Object({ team: Team });
export const TeamDetails = Type.Object({
  team: Team,
  members: Type.Array(TeamMember),
  invitations: Type.Array(Invitation),
});
export const TeamList = listOf(Team);
export const TeamListQuery = Type.Object({
  ...pageFields,
  search: Type.Optional(Search),
  status: Type.Optional(TeamStatus),
  sort: sortBy(["createdAt", "name"], "-createdAt"),
});

const limits = {
  budget: Type.Optional(nullable(BudgetInput)),
  rateLimit: Type.Optional(nullable(RateLimitInput)),
  models: Type.Optional(Models),
};
export const NewTeamBody = Type.Object({ name: Name, ...limits });
export const TeamChange = Type.Object({ name: Type.Optional(Name), ...limits });

export type TeamChange = Static<typeof TeamChange>;

/** State of a team, independent of storage. */
interface TeamState {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly status: "active" | "blocked";
  readonly blockedReason: string | null;
  readonly blockedAt: Date | null;
  readonly role: TeamRole | null;
  readonly memberCount: number;
  readonly keyCount: number;
  readonly models: readonly string[];
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly maxParallel: number | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Converts a team to its response format. */
export function toTeam({ models, rpm, tpm, maxParallel, ...team }: TeamState, budget: BudgetState | null): object {
  return {
    ...team,
    budget: toBudget(budget),
    rateLimit: { rpm, tpm, maxParallel },
    models: models.length === 0 ? null : models,
  };
}
