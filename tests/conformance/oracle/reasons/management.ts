import { isAbsent, isNothing, type Reason } from "./reason.ts";

/** Operations on keys, teams, and spend. */
const managed = /^(key|team|user|spend|calculate) /;
/** Fields of keys, teams, and errors in Tollgate's API reference, which must not be missing. */
const documented =
  "token|token_id|key_name|key_alias|team_id|user_id|organization_id|models|spend|max_budget|budget_duration|budget_reset_at|[rt]pm_limit|max_parallel_requests|model_[rt]pm_limit|metadata|tags|guardrails|blocked|created_at|updated_at|aliases|allowed_routes|expires|team_alias|model_aliases|members_with_roles|keys|detail|error";
const isOurs = (theirs: unknown) => isAbsent(theirs);
const isTheirs = (_theirs: unknown, ours: unknown) => isAbsent(ours);

/** Differences in keys and teams. */
export const managementReasons: readonly Reason[] = [
  {
    name: "Management: enterprise features",
    because:
      "Tags, team admins, new secrets, and spend reports need a paid license in LiteLLM. In Tollgate, they don't.",
    place: /^status$/,
    operation: managed,
    scenario: /^(tags|an admin|to admin|a secret|by team|by key)$/,
    holds: (theirs, ours) => theirs !== 200 && ours === 200,
  },
  {
    name: "Management: default dates",
    because: "Without dates, a report covers the last seven days. LiteLLM requires both dates.",
    place: /^status$/,
    operation: /^(spend report|user activity|team activity)$/,
    scenario: /^no dates$/,
  },
  {
    name: "Management: unknown records",
    because:
      "A request that refers to a record that doesn't exist fails with 404. LiteLLM returns 400 or 500, or creates the record.",
    place: /^(status|upstream calls)$/,
    operation: /^(key|team|model|create|delete|list|retrieve) /,
    scenario: /^(an unknown (organization|member|team|thread|assistant)|not a member|a deleted model|unknown)$/,
    holds: (theirs, ours) => ours === 404 || (theirs === 1 && ours === 0),
  },
  {
    name: "Management: conflicts",
    because:
      "A conflict with an existing record fails with 409. LiteLLM allows two teams with the same name, and returns 400 for a member who is already in the team.",
    place: /^status$/,
    operation: /^team /,
    scenario: /^(an existing name|a member of the team)$/,
    holds: (_theirs, ours) => ours === 409,
  },
  {
    name: "Management: key names",
    because: "Key names don't have to be unique, because a key is identified by its digest or its ID.",
    place: /^status$/,
    operation: /^key (generate|delete)$/,
    scenario: /^(an existing name|names)$/,
  },
  {
    name: "Management: invalid values",
    because:
      "An invalid or missing value fails with 422 or 400, and the error names the field. LiteLLM returns 500, or stores the value.",
    place: /^status$/,
    operation: /^(key|team|spend|model|create) /,
    scenario: /^(a negative budget|an invalid (period|duration|date)|no (user|name|parameters|content|model))$/,
    holds: (_theirs, ours) => ours === 422 || ours === 400,
  },
  {
    name: "Management: unsupported fields",
    because: "A field that Tollgate doesn't support fails with 400, so that no setting is lost silently.",
    place: /^status$/,
    operation: managed,
    scenario: /^(a soft budget|an unknown field|a chosen (ID|secret)|a budget)$/,
    holds: (theirs, ours) => theirs === 200 && ours === 400,
  },
  {
    name: "Management: ignored parameters",
    because:
      "Lists and reports ignore query parameters that they don't have, such as sort orders, time zones, and filters by project.",
    place: /^fields$/,
    operation: /^request fields$/,
    scenario: /^GET /,
  },
  {
    name: "Management: missing permission",
    because: "A valid key without permission gets 403. LiteLLM returns 401, as for an invalid key.",
    place: /^(status|body \/error\/type)$/,
    scenario: /^a key without management routes$/,
    holds: (_theirs, ours) => ours === 403 || ours === "permission_error",
  },
  {
    name: "Management: members by email address",
    because:
      "A member can be found by email address even if they were added by ID. LiteLLM finds only members whose address was stored with the team.",
    place: /^status$/,
    operation: /^team member (update|delete)$/,
    scenario: /^an email address$/,
    holds: (theirs, ours) => theirs === 400 && ours === 200,
  },
  {
    name: "Management: location of nested fields",
    because: "The location in a validation error contains each field on the way to the invalid value.",
    place: /^body \/detail\/0\/loc\/\*$/,
    operation: managed,
    holds: (theirs) => isNothing(theirs),
  },
  {
    name: "Management: secrets",
    because:
      "Only responses that create a secret contain one. Other responses identify the key by its digest. LiteLLM repeats the secret or name that the client sent.",
    place: /^body \/(key|deleted_keys\/\*)$/,
    operation: /^key (info|update|delete)$/,
  },
  {
    name: "Management: updated team",
    because: "The updated team is in data, as in LiteLLM, and at the top level, as in the other responses about teams.",
    place: /^body \/(?!detail$|error$)\w+$/,
    operation: /^team update$/,
    holds: isOurs,
  },
  {
    name: "Management: updated member",
    because: "All operations on members return the team with its members. LiteLLM returns the member's budget.",
    place: /^body \/(?!detail$|error$)\w+$/,
    operation: /^team member update$/,
  },
  {
    name: "Management: full records",
    because: "A list contains full records unless return_full_object=false. LiteLLM returns only digests by default.",
    place: /^body \/keys\/\d+$/,
    operation: /^key list$/,
    holds: (theirs, ours) => typeof theirs === "string" && typeof ours === "object",
  },
  {
    name: "Management: IDs",
    because: "Tollgate's IDs contain their type. A key's ID stays the same when its secret changes.",
    place: /\/(team_id|token_id)$/,
    operation: managed,
    holds: (_theirs, ours) => /^<(team|key) id>$/.test(String(ours)),
  },
  {
    name: "Management: default user",
    because: "The master key belongs to no user. LiteLLM adds its default user as an admin to each new team.",
    place: /\/members_with_roles\/default_user_id$/,
    operation: /^team /,
    holds: isTheirs,
  },
  {
    name: "Management: members' email addresses",
    because: "Each member has the email address of their account.",
    place: /\/members_with_roles\/<USER>\/user_email$/,
    operation: /^team /,
    holds: (theirs) => theirs === null,
  },
  {
    name: "Management: default team",
    because: "A new instance of Tollgate has a team for its first user.",
    place: /^body \/Default$/,
    operation: /^team list$/,
    holds: isOurs,
  },
  {
    name: "Management: keys of teams",
    because: "A list of teams doesn't contain their keys, which are in /team/info and /key/list.",
    place: /^body \/[\w-]+\/keys$/,
    operation: /^team list$/,
    holds: isTheirs,
  },
  {
    name: "Management: removed budgets",
    because: "Removing a budget also removes its period. LiteLLM keeps the period.",
    place: /\/budget_(duration|reset_at)$/,
    operation: managed,
    holds: (_theirs, ours) => ours === null,
  },
  {
    name: "Management: parallel requests of teams",
    because: "A team can have a limit for parallel requests. LiteLLM ignores the field.",
    place: /\/max_parallel_requests$/,
    operation: /^team /,
    holds: (theirs) => theirs === null,
  },
  {
    name: "Management: route groups",
    because: "Tollgate shows its own names of route groups. It accepts LiteLLM's names as well.",
    place: /^body \/allowed_routes\/\*$/,
    operation: /^key generate$/,
  },
  {
    name: "Management: time of last use",
    because: "The time of a key's last use is last_used. LiteLLM's name is last_active.",
    place: /\/last_(used|active)$/,
    operation: /^key /,
  },
  {
    name: "Management: limits per model, tags, and guardrails",
    because:
      "Limits per model, tags, guardrails, and model aliases are fields of their own, which are empty if not set. LiteLLM puts them in metadata or another table, or returns null.",
    place: /\/(model_[rt]pm_limit|tags|guardrails|model_aliases)$/,
    operation: managed,
    holds: (theirs, ours) => isNothing(theirs) || isAbsent(ours),
  },
  {
    name: "Management: blocked keys",
    because: "blocked is true or false. LiteLLM returns null for a key that was never blocked.",
    place: /\/blocked$/,
    operation: /^key /,
    holds: (theirs, ours) => theirs === null && ours === false,
  },
  {
    name: "Management: Tollgate fields",
    because: "Every record contains these fields. LiteLLM omits them in some responses.",
    place: /\/(token|token_id|organization_id|budget_reset_at)$/,
    operation: /^(key|team) /,
    holds: isOurs,
  },
  {
    name: "Management: LiteLLM's fields",
    because:
      "Keys and teams contain the documented fields. LiteLLM also returns fields of features that Tollgate doesn't have, and columns of its tables.",
    place: new RegExp(
      `^body (/(data|info|team_info|keys/\\d+|[\\w-]+))?/(?!(${documented})$)\\w+$|/keys/\\d+/team_alias$`,
    ),
    operation: /^(key|team) (?!activity)/,
    holds: isTheirs,
  },
];
