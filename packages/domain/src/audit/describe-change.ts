import { formatExactMoney } from "../figures/money-text.ts";

/** A change as the audit log records it, with the names that its IDs stand for. */
export interface RecordedChange {
  readonly action: string;
  /** Email address or name of the actor. */
  readonly actor: string;
  readonly target: { readonly type: string; readonly id: string; readonly name: string | null };
  /** Current name of the team that the change names; null if it names none, or the team no longer exists. */
  readonly teamName: string | null;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

interface Phrase {
  /** What the actor did. */
  readonly verb: string;
  /** What it was done to; null if the verb says so, as in "signed in". */
  readonly noun: string | null;
}

const on = (verb: string, noun: string | null = null): Phrase => ({ verb, noun });

const phrases: Readonly<Record<string, Phrase>> = {
  "key.created": on("created", "API key"),
  "key.updated": on("changed", "API key"),
  "key.disabled": on("disabled", "API key"),
  "key.rotated": on("rotated the secret of", "API key"),
  "key.revoked": on("deleted", "API key"),
  "team.created": on("created", "team"),
  "team.updated": on("changed", "team"),
  "team.deleted": on("deleted", "team"),
  "team.blocked": on("blocked", "team"),
  "team.unblocked": on("unblocked", "team"),
  "member.added": on("added", "member"),
  "member.removed": on("removed", "member"),
  "member.role_changed": on("changed the role of", "member"),
  "member.invited": on("sent", "invitation to"),
  "member.invitation_revoked": on("revoked", "invitation to"),
  "member.invitation_declined": on("declined", "invitation to"),
  "org.created": on("created", "organization"),
  "org.updated": on("changed the settings of", "organization"),
  "org.closed": on("closed", "organization"),
  "org.exported": on("exported the data of", "organization"),
  "org.viewed": on("viewed", "organization"),
  "org.content_read": on("read the content of", "request"),
  "org.content_searched": on("searched the stored content of", "organization"),
  "org.webhook_created": on("created", "webhook"),
  "org.webhook_deleted": on("deleted", "webhook"),
  "org.webhook_disabled": on("disabled", "webhook"),
  "organization.prices_changed": on("changed the prices of", "organization"),
  "model.created": on("added", "model"),
  "model.updated": on("changed", "model"),
  "model.price_changed": on("changed the price of", "model"),
  "model.disabled": on("disabled", "model"),
  "provider.created": on("added", "provider"),
  "provider.updated": on("changed", "provider"),
  "provider.credential_changed": on("changed the API key of", "provider"),
  "provider.deleted": on("deleted", "provider"),
  "catalog.updated": on("applied", "catalog edition"),
  "catalog.price_confirmed": on("confirmed the catalog price of", "model"),
  "credits.granted": on("granted credit to", "organization"),
  "credits.adjusted": on("adjusted the credit of", "organization"),
  "credits.rebuilt": on("recomputed the balance of", "organization"),
  "ledger.re_rated": on("posted the re-rating", "transaction"),
  "purchase.created": on("placed", "order"),
  "pairing.approved": on("approved a command-line sign-in"),
  "pairing.denied": on("denied a command-line sign-in"),
  "server.set_up": on("set up this server"),
  "session.revoked": on("ended a session"),
  "session.reuse_detected": on("presented a refresh token that was already used"),
  "user.logged_in": on("signed in"),
  "user.login_failed": on("failed to sign in"),
  "user.signed_up": on("created", "account"),
  "user.email_verified": on("verified the email address of", "account"),
  "user.password_changed": on("changed the password of", "account"),
  "user.totp_enabled": on("enabled one-time codes of", "account"),
  "user.totp_disabled": on("disabled one-time codes of", "account"),
  "user.updated": on("changed", "user"),
  "user.role_changed": on("changed the role of", "user"),
  "user.enabled": on("enabled", "user"),
  "user.disabled": on("disabled", "user"),
  "user.deleted": on("deleted", "user"),
};

/** Maximum number of changed fields that a sentence lists. The entry itself has all of them. */
const MAX_FIELDS = 4;

/** Describes a change in a sentence: "ada@example.com changed API key ci: name and budget". */
export function describeChange(change: RecordedChange): string {
  const { action, actor, target } = change;
  // An order has many states, which are set in the same way.
  if (action.startsWith("purchase.") && action !== "purchase.created") {
    return `${actor} marked order ${target.name ?? target.id} as ${stateOf(action)}`;
  }
  const { verb, noun } = phrases[action] ?? on(stateOf(action), target.type);
  const object = noun === null ? "" : ` ${noun} ${target.name ?? target.id}`;
  return `${actor} ${verb}${object}${teamOf(change)}${detailOf(change)}`;
}

/** Words before the team in changes that are about one team. Without it, two memberships would read alike. */
const teamWords: Readonly<Record<string, string>> = {
  "key.created": "in team",
  "member.added": "to team",
  "member.invited": "to team",
  "member.removed": "from team",
  "member.role_changed": "in team",
};

function teamOf({ action, before, after, teamName }: RecordedChange): string {
  const words = teamWords[action];
  const id = after?.teamId ?? before?.teamId;
  return words === undefined || typeof id !== "string" ? "" : ` ${words} ${teamName ?? id}`;
}

function detailOf({ action, before, after }: RecordedChange): string {
  if (typeof before?.role === "string" && typeof after?.role === "string") {
    return ` from ${before.role} to ${after.role}`;
  }
  const amount = amountOf(after?.amount);
  if (amount !== null) return `: ${amount}`;
  if (typeof after?.reason === "string") return `: ${after.reason.replaceAll("_", " ")}`;
  if (!action.endsWith(".updated")) return "";
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].map(wordsOf);
  if (fields.length === 0) return "";
  const listed = fields.length > MAX_FIELDS ? [...fields.slice(0, MAX_FIELDS - 1), "other fields"] : fields;
  const last = listed.at(-1) ?? "";
  return `: ${listed.length === 1 ? last : `${listed.slice(0, -1).join(", ")} and ${last}`}`;
}

const stateOf = (action: string): string => action.replace(/^\w+\./, "").replaceAll("_", " ");

/** Formats an amount in nano-USD, which the log stores as text. */
const amountOf = (amount: unknown): string | null =>
  typeof amount === "string" && /^-?\d{1,19}$/.test(amount) ? formatExactMoney(BigInt(amount)) : null;

/** Returns a field's name in words: `expiresAt` and `expires_at` are both "expires at". */
const wordsOf = (field: string): string =>
  field
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase();
