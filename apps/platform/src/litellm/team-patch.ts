import type {
  MemberInput,
  NewTeamRequest,
  UpdateTeamRequest,
} from "@tollgate/contracts/administration/team-management.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import { invalid, readUserId, refuseUnknown } from "./read-fields.ts";
import { type RecordPatch, readLimits } from "./read-limits.ts";

/** Requested fields of a team. */
export interface TeamPatch extends RecordPatch {
  readonly organizationId?: string;
  readonly modelAliases?: Readonly<Record<string, string>>;
}

/** Identifies a user by ID or by email address. */
export type PersonName = { readonly userId: number } | { readonly email: string };

export interface MemberPatch {
  readonly person: PersonName;
  readonly role: "admin" | "member";
}

/** Parses a team patch. Rejects fields that the operation doesn't have. */
export function readTeamPatch(body: NewTeamRequest | UpdateTeamRequest, known: object, settings: Settings): TeamPatch {
  refuseUnknown(body, known);
  const { team_alias, organization_id, model_aliases } = body;
  return {
    ...readLimits(body, settings),
    ...(typeof team_alias === "string" && { name: team_alias }),
    ...(typeof organization_id === "string" && { organizationId: organization_id }),
    ...(model_aliases !== undefined && { modelAliases: model_aliases ?? {} }),
  };
}

/** Parses a member and their role. */
export function readMember(member: MemberInput): MemberPatch {
  refuseUnknown(member, { role: true, user_id: true, user_email: true, team_id: true });
  return { person: readPerson(member), role: member.role === "admin" ? "admin" : "member" };
}

/** Identifies a user by ID or email address. */
export function readPerson({ user_id, user_email }: Pick<MemberInput, "user_id" | "user_email">): PersonName {
  if (typeof user_id === "string") return { userId: readUserId("user_id", user_id) };
  if (typeof user_email === "string") return { email: user_email.trim().toLowerCase() };
  throw invalid("user_id", "or user_email is required.");
}
