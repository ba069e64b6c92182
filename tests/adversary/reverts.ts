import type { NamedEdits } from "./apply-edits.ts";

/** A fix to revert, and the cases that must fail without it. */
export interface Revert extends NamedEdits {
  /** Product behavior without the fix. */
  readonly effect: string;
  readonly cases: readonly string[];
}

const PIPELINE = "apps/gateway/src/pipeline";
const ACCOUNTING = "apps/gateway/src/accounting";
const SETTINGS = "packages/runtime/src/settings";
const IDENTITY = "apps/platform/src/identity";
const VERIFY = "packages/db/src/ledger/verify";

/** Rows of the "See it fail" table in the README, in the same order. */
export const reverts: readonly Revert[] = [
  {
    name: "stream-disconnect",
    effect: "a stream is aborted when its client leaves",
    cases: ["cuts-chat", "cuts-messages", "cuts-responses"],
    edits: [
      {
        file: `${PIPELINE}/relay-stream.ts`,
        before: `    if (finishesOnDisconnect(this.#answer.deployment, this.#account.call)) this.#readOn();
    else this.#abandon(null);`,
        after: "    this.#abandon(null);",
      },
    ],
  },
  {
    name: "whole-disconnect",
    effect: "a call that is not streamed is aborted when its client leaves",
    cases: ["cuts-whole-chat"],
    edits: [
      {
        file: `${PIPELINE}/call-upstream.ts`,
        before: `    if (!finishesOnDisconnect(this.#deployment, this.call)) return this.stopReading(null);
    if (!this.context.unattended.add(this.call.exchange)) this.stopReading("capacity");`,
        after: "    this.stopReading(null);",
      },
    ],
  },
  {
    name: "abort-uncharged",
    effect: "a call that is aborted before its first frame costs nothing",
    cases: ["abort-whole"],
    edits: [
      {
        file: `${PIPELINE}/end-failed.ts`,
        before: "error.wasSent ? abandonedUsage(account, null, null, error.limit) : NO_USAGE",
        after: "NO_USAGE",
      },
    ],
  },
  {
    name: "readings-unlimited",
    effect: "a process reads any number of responses without a client",
    cases: ["crowd-leaves"],
    edits: [
      {
        file: "apps/gateway/src/limits/live-calls.ts",
        before: "MAX_UNATTENDED_CALLS = 256",
        after: "MAX_UNATTENDED_CALLS = Number.POSITIVE_INFINITY",
      },
    ],
  },
  {
    name: "estimate-without-hold",
    effect: "a reading that a limit ends costs only the text that was seen",
    cases: ["limit-timeout"],
    edits: [
      {
        file: `${ACCOUNTING}/usage-of.ts`,
        before: "if (!Number.isFinite(held) || held <= counted.outputTokens) return seen;",
        after: "return counted;",
      },
    ],
  },
  {
    name: "media-report-refused",
    effect: "a report above the request's own size is impossible, also for a video",
    cases: ["media-by-reference"],
    edits: [
      {
        file: `${ACCOUNTING}/usage-of.ts`,
        before: "  if (call.parts.isUnbounded || results === null) return input <= MAX_FREE_TOKENS;\n",
        after: "",
      },
    ],
  },
  {
    name: "media-by-type",
    effect: "a part counts as text if its type says so, whatever else it contains",
    cases: ["media-by-reference"],
    edits: [
      {
        file: "apps/gateway/src/operations/chat/chat.ts",
        before: "return hasOnly(part, TEXT_NAMES) ? NO_PARTS : UNBOUNDED;",
        after: "return NO_PARTS;",
      },
    ],
  },
  {
    name: "media-held-by-size",
    effect: "the hold for a video covers only its URL",
    cases: ["media-small-credit"],
    edits: [
      {
        file: "apps/gateway/src/operations/estimate-input.ts",
        before: "if (isUnbounded || added === null) return maxInputTokens ?? Math.max(sized, DEFAULT_MAX_INPUT);",
        after:
          "if (isUnbounded || added === null) return maxInputTokens === null ? sized : Math.min(sized, maxInputTokens);",
      },
    ],
  },
  {
    name: "media-estimate-by-text",
    effect: "a reading that a limit ends costs only the text of the request, also for a video",
    cases: ["media-limit"],
    edits: [
      {
        file: `${ACCOUNTING}/usage-of.ts`,
        before: "const input = hasInput ? counted : withMedia(account, counted);",
        after: "const input = hasInput ? counted : { ...counted };",
      },
    ],
  },
  {
    name: "silence-by-size",
    effect: "a recording is never longer than speech of its size",
    cases: ["audio-length-fraud"],
    edits: [
      {
        file: "apps/gateway/src/operations/transcriptions/audio-duration.ts",
        before: "const MAX_SILENT_MS = 86_400_000;",
        after: "const MAX_SILENT_MS = 0;",
      },
    ],
  },
  {
    name: "admission-positive",
    effect: "any free credit admits a call of any size",
    cases: ["overdraft-one-nano", "explicit-limit"],
    edits: [
      {
        file: `${SETTINGS}/schema/settings-file.ts`,
        before: `      ["strict", "positive", "nonnegative"],
      "strict",`,
        after: `      ["strict", "positive", "nonnegative"],
      "positive",`,
      },
      // Settings validation rejects `admission: positive` without an overdraft.
      {
        file: `${SETTINGS}/schema/settings-file.ts`,
        before: `        default: 0,
        maximum: MAX_HOLD_NANO_USD,`,
        after: `        default: MAX_HOLD_NANO_USD,
        maximum: MAX_HOLD_NANO_USD,`,
      },
    ],
  },
  {
    name: "hold-unlimited",
    effect: "one call may hold 1,000,000 USD",
    cases: ["largest-hold"],
    edits: [
      {
        file: `${SETTINGS}/schema/settings-file.ts`,
        before: "default: 100_000_000_000,",
        after: "default: MAX_HOLD_NANO_USD,",
      },
    ],
  },
  {
    name: "unknown-params-forwarded",
    effect: "fields that are on no list reach the upstream",
    cases: ["routing-fields", "search-fields"],
    edits: [
      {
        file: `${SETTINGS}/build-gateway.ts`,
        before: `section.unknown_params ?? (isBilled ? "reject" : "forward")`,
        after: `section.unknown_params ?? "forward"`,
      },
    ],
  },
  {
    name: "header-deny-list",
    effect: "headers that are on no list reach the upstream",
    cases: ["provider-headers"],
    edits: [
      {
        file: "apps/gateway/src/providers/fit-parameters.ts",
        before: "if (allows?.(headers[index + 1] as string, deployment) === true) continue;",
        after: "if (allows?.(headers[index + 1] as string, deployment) !== false) continue;",
      },
    ],
  },
  {
    name: "served-model-ignored",
    effect: "a response costs the price of the requested model, whichever model it names",
    cases: ["more-expensive-model"],
    edits: [
      {
        file: `${PIPELINE}/call-upstream.ts`,
        before: "otherModel: otherModelIn(text, this.#deployment),",
        after: "otherModel: null,",
      },
    ],
  },
  {
    name: "drop-any-field",
    effect: "a request may leave out the fields that decide its cost",
    cases: ["dropped-fields"],
    edits: [
      {
        file: "apps/gateway/src/operations/sort-fields.ts",
        before: "    if (decidesCost(name, fields)) throw cannotDrop(name);\n",
        after: "",
      },
    ],
  },
  {
    name: "lost-attempts-unrecorded",
    effect: "failed attempts that the provider bills are recorded nowhere",
    cases: ["malformed-then-good", "malformed-storm"],
    edits: [
      {
        file: `${PIPELINE}/retry-or-fall-back.ts`,
        before: "  if (usage !== null) account.loseAttempt(lossReasonOf(failure, next), usage);\n",
        after: "",
      },
    ],
  },
  {
    name: "caller-timeout-aborts",
    effect: "a caller's own timeout aborts the upstream, as the operator's does",
    cases: ["caller-timeout"],
    edits: [
      {
        file: `${PIPELINE}/call-upstream.ts`,
        before: `    if (isCallers) this.passDeadline(failure);
    else this.#abandon(failure);`,
        after: "    this.#abandon(failure);",
      },
    ],
  },
  {
    name: "loopback-webhooks",
    effect: "webhooks may target this machine under `serve`, as under `dev`",
    cases: ["webhook-loopback"],
    edits: [
      {
        file: `${SETTINGS}/build-platform.ts`,
        before: "readAllowedTargets(platform.outboundAllow)",
        after: `readAllowedTargets(["localhost", "127.0.0.0/8", "::1", ...platform.outboundAllow])`,
      },
    ],
  },
  {
    name: "organization-id-ignored",
    effect: "`PUT /api/gw/organizations` changes the active organization, whichever `id` is sent",
    cases: ["organization-id"],
    edits: [
      {
        file: "apps/platform/src/organizations/update-organization.ts",
        before: "body.organizationId ?? body.id ?? caller.organization?.id",
        after: "body.organizationId ?? caller.organization?.id",
      },
    ],
  },
  {
    name: "account-wide-lock",
    effect: "wrong passwords are counted per account, regardless of the client's address",
    cases: ["account-lock"],
    edits: [
      {
        file: "packages/db/src/accounts/login-failures.ts",
        before: `digestOf(email, \`source \${source}\`)`,
        after: `digestOf(email, "every source")`,
      },
    ],
  },
  {
    name: "run-usage-copied",
    effect: "a run reports the usage that the upstream reported",
    cases: ["run-usage"],
    edits: [
      {
        file: `${PIPELINE}/relay-answer.ts`,
        before: `costLines(call, this.#answer, this.cost) +
        runUsageLine(call, this.#usage, this.cost);`,
        after: "costLines(call, this.#answer, this.cost);",
      },
      {
        file: `${PIPELINE}/end-stream.ts`,
        before: `withRunUsage(this.#account.call, this.#usage, this.#cost, this.#tail ?? "")`,
        after: `this.#tail ?? ""`,
      },
    ],
  },
  {
    name: "guesses-per-session",
    effect: "each password entry of a signed-in user has its own counter of guesses",
    cases: ["code-sessions"],
    edits: [
      {
        file: `${IDENTITY}/with-login.ts`,
        before: "session.expiresAt.toISOString()",
        after: "Math.random()",
      },
    ],
  },
  {
    name: "unknown-sources-unlimited",
    effect: "guesses from many addresses are limited per address only",
    cases: ["code-guesses"],
    edits: [
      {
        file: "packages/db/src/accounts/login-failures.ts",
        before: "const MAX_UNKNOWN_FAILURES = 20;",
        after: "const MAX_UNKNOWN_FAILURES = 1_000_000;",
      },
    ],
  },
  {
    name: "codes-work-twice",
    effect: "a one-time code works until it expires",
    cases: ["code-replays"],
    edits: [
      {
        file: "packages/db/src/accounts/one-time-codes.ts",
        before: "and coalesce(totp_last_step, -1) <",
        after: "and -1 <",
      },
    ],
  },
  {
    name: "invitations-for-anyone",
    effect: "an invitation's token or ID is enough to accept it",
    cases: ["invitation-reuse"],
    edits: [
      {
        file: "packages/db/src/accounts/accept-invitation.ts",
        before: "and i.email =",
        after: "and i.email is distinct from 'anyone' ||",
      },
    ],
  },
  {
    name: "invitations-outlive-roles",
    effect: "the invitations of a demoted member stay valid",
    cases: ["invitation-roles"],
    edits: [
      {
        file: "apps/platform/src/organizations/update-member.ts",
        before: "isLowered(member.role, body.role)",
        after: "false",
      },
    ],
  },
  {
    name: "mailbox-unlimited",
    effect: "only each organization's invitations are limited",
    cases: ["invitation-flood"],
    edits: [
      {
        file: "packages/db/src/invitations/add-invitation.ts",
        before: "MAX_INVITATIONS_PER_MAILBOX = 10;",
        after: "MAX_INVITATIONS_PER_MAILBOX = 1_000;",
      },
    ],
  },
  {
    name: "sessions-outlive-passwords",
    effect: "a password change leaves the user's other sessions open",
    cases: ["session-ends"],
    edits: [
      {
        file: `${IDENTITY}/update-password.ts`,
        before: "const ended = await revokeSessions(transaction, userId, now, sessionId);",
        after: "const ended = 0;",
      },
    ],
  },
  {
    name: "token-reuse-ignored",
    effect: "a token that was replaced twice is refused, but its session stays open",
    cases: ["token-reuse"],
    edits: [
      {
        file: "packages/db/src/accounts/refresh-session.ts",
        before: `  await transaction.updateTable("sessions").set({ revoked_at: now }).where("id", "=", sessionId).execute();
  return { kind: "reused"`,
        after: `  return { kind: "reused"`,
      },
    ],
  },
  {
    name: "lenient-framing",
    effect: "Node reads heads leniently, and repeated lengths are not refused",
    cases: ["smuggling-platform"],
    edits: [
      {
        file: "apps/gateway/src/http/http-server.ts",
        before: "insecureHTTPParser: false,",
        after: "insecureHTTPParser: true,",
      },
    ],
  },
  {
    name: "old-master-key-kept",
    effect: "a reload keeps the master key of the start",
    cases: ["master-key-rotation"],
    edits: [
      {
        file: "apps/server/src/start-gateway.ts",
        before: "      keys.setMasterKey(next.general.masterKey);\n",
        after: "",
      },
    ],
  },
  {
    name: "storage-without-credit",
    effect: "an organization without credit can store as much as one with credit",
    cases: ["stored-without-credit"],
    edits: [
      {
        file: "packages/db/functions/find_full_storage.sql",
        before: "    most := unpaid_most;",
        after: "    most := most;",
      },
    ],
  },
  {
    name: "credit-unaudited",
    effect: "the ledger verification does not compare credit and purchases with the audit log",
    cases: ["tamper-grant-posted", "tamper-grant-raised", "tamper-refund-twice", "tamper-audit-rewritten"],
    edits: [{ file: `${VERIFY}/find-broken-invariants.ts`, before: "  creditIsAudited,\n", after: "" }],
  },
  {
    name: "roles-unaudited",
    effect: "the ledger verification does not compare users, memberships, and blocks with the audit log",
    cases: ["tamper-member-owner", "tamper-administrator", "tamper-user-enabled", "tamper-team-unblocked"],
    edits: [{ file: `${VERIFY}/find-broken-invariants.ts`, before: "  rolesAreAudited,\n", after: "" }],
  },
  {
    name: "organizations-unchecked",
    effect: "the ledger verification does not look for deleted organizations",
    cases: ["tamper-organization-row", "tamper-organization"],
    edits: [{ file: `${VERIFY}/find-broken-invariants.ts`, before: "  organizationsExist,\n", after: "" }],
  },
  {
    name: "purchase-entries-unchecked",
    effect: "the ledger verification does not require a purchase for each purchase entry",
    cases: ["tamper-purchase-posted", "tamper-purchase-shared"],
    edits: [{ file: `${VERIFY}/entries.ts`, before: "    entriesWithoutPurchase(scope),\n", after: "" }],
  },
  {
    name: "chains-unverified",
    effect: "the ledger verification does not compare entries and usage rows with the hash chains",
    cases: ["tamper-created-at", "tamper-grant-forged", "tamper-request-state", "tamper-request-user"],
    edits: [{ file: `${VERIFY}/find-broken-invariants.ts`, before: "  ...chainInvariants,\n", after: "" }],
  },
  {
    name: "checkpoints-uncompared",
    effect: "the ledger verification does not compare the chains with the checkpoints",
    cases: ["tamper-audit-last", "tamper-audit-rehashed", "tamper-checkpoint-deleted", "tamper-organization-untraced"],
    edits: [
      {
        file: `${VERIFY}/find-broken-invariants.ts`,
        before: "options.checkpoints !== undefined && scope.organizationId === null",
        after: "options.checkpoints === null",
      },
    ],
  },
  {
    name: "objects-uncompared",
    effect: "the ledger verification uses the functions and tables of the database as they are",
    cases: ["tamper-function-chain", "tamper-function-usage", "tamper-search-path", "tamper-view", "tamper-policy"],
    edits: [
      {
        file: `${VERIFY}/find-broken-invariants.ts`,
        before: "const objects = await checkObjects(snapshot);",
        after: `const objects = { id: "C7", title: "", ok: true, checked: 0n, differing: 0, differences: [] };`,
      },
    ],
  },
  {
    name: "facts-unchained",
    effect: "the hash of a chain entry does not cover the actor, and that of a usage row does not cover the user",
    cases: ["tamper-actor", "tamper-request-user"],
    edits: [
      { file: "packages/db/functions/entry_facts.sql", before: " entry.actor,", after: "" },
      { file: "packages/db/functions/usage_facts.sql", before: " e.user_id,", after: "" },
    ],
  },
];
