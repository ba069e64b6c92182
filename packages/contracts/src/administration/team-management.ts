import Type, { type Static } from "typebox";
import { NullableParameter } from "../models/nullable-parameter.ts";
import { Nullable } from "../nullable.ts";
import { KeyRecord } from "./key-management.ts";
import { exactBody, limitFields, nullableText, pageParameters, shownLimits, TextMap } from "./record-fields.ts";

const TeamId = Type.String({ minLength: 1, maxLength: 100 });
const Role = Type.Union([Type.Literal("admin"), Type.Literal("user")]);

/** A user by ID or email address; must belong to the team's organization. */
const person = {
  user_id: Nullable(Type.String({ maxLength: 100 })),
  user_email: Nullable(Type.String({ maxLength: 254 })),
};
const Member = Type.Object({ role: Role, ...person }, { additionalProperties: true });
export type MemberInput = Static<typeof Member>;

const teamFields = {
  team_alias: Nullable(Type.String({ minLength: 1, maxLength: 100, description: "The team's name." })),
  organization_id: Nullable(Type.String({ maxLength: 100 })),
  ...limitFields,
  model_aliases: Nullable(TextMap),
};

export const NewTeamRequest = Type.Object(
  { ...teamFields, members_with_roles: Nullable(Type.Array(Member, { maxItems: 100 })) },
  exactBody,
);
export type NewTeamRequest = Static<typeof NewTeamRequest>;

export const UpdateTeamRequest = Type.Object({ team_id: TeamId, ...teamFields }, exactBody);
export type UpdateTeamRequest = Static<typeof UpdateTeamRequest>;

export const DeleteTeamsRequest = Type.Object(
  { team_ids: Type.Array(TeamId, { minItems: 1, maxItems: 20 }) },
  { additionalProperties: true },
);
export type DeleteTeamsRequest = Static<typeof DeleteTeamsRequest>;

export const BlockTeamRequest = Type.Object({ team_id: TeamId }, { additionalProperties: true });
export type BlockTeamRequest = Static<typeof BlockTeamRequest>;

export const AddMembersRequest = Type.Object(
  { team_id: TeamId, member: Type.Union([Member, Type.Array(Member, { minItems: 1, maxItems: 100 })]) },
  { additionalProperties: true },
);
export type AddMembersRequest = Static<typeof AddMembersRequest>;

export const UpdateMemberRequest = Type.Object(
  { team_id: TeamId, role: Role, ...person },
  { additionalProperties: true },
);
export type UpdateMemberRequest = Static<typeof UpdateMemberRequest>;

export const DeleteMemberRequest = Type.Object({ team_id: TeamId, ...person }, { additionalProperties: true });
export type DeleteMemberRequest = Static<typeof DeleteMemberRequest>;

export const TeamInfoQuery = Type.Object({
  team_id: Type.String({ minLength: 1, maxLength: 100, description: "The team." }),
});
export type TeamInfoQuery = Static<typeof TeamInfoQuery>;

export const TeamListQuery = Type.Object({
  ...pageParameters,
  organization_id: NullableParameter(Type.String({ maxLength: 100 }), {
    description: "Only teams of this organization.",
  }),
  user_id: NullableParameter(Type.String({ maxLength: 100 }), { description: "Only teams of this user." }),
  team_alias: NullableParameter(Type.String({ maxLength: 100 }), { description: "Only the team with this name." }),
});
export type TeamListQuery = Static<typeof TeamListQuery>;

/** A team in a response. */
export const TeamRecord = Type.Object({
  team_id: Type.String(),
  team_alias: nullableText,
  organization_id: nullableText,
  ...shownLimits,
  model_aliases: Type.Record(Type.String(), Type.String()),
  members_with_roles: Type.Array(Type.Object({ user_id: Type.String(), user_email: Type.String(), role: Role }), {
    description: "At most 1,000.",
  }),
});
/** LiteLLM's clients read the updated team from `data`. */
export const UpdatedTeam = Type.Object({ ...TeamRecord.properties, data: TeamRecord });
export const TeamInfoAnswer = Type.Object({
  team_id: Type.String(),
  team_info: TeamRecord,
  keys: Type.Array(KeyRecord, { description: "The newest 100 keys. To get all keys, use /key/list." }),
});
export const TeamListAnswer = Type.Array(TeamRecord);
export const DeletedTeams = Type.Object({ deleted_teams: Type.Array(Type.String()) });
