import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { scanJsonBytes } from "@tollgate/domain/json-bytes.ts";
import { encodeIdentity } from "@tollgate/journal/record-blocks.ts";
import { BudgetSet } from "../adapters/key-directory.ts";
import { Call } from "../call/call.ts";
import type { CallBody } from "../call/call-body.ts";
import type { Caller } from "../call/caller.ts";
import type { ChosenModel } from "../call/chosen-model.ts";
import type { Exchange } from "../call/exchange.ts";
import type { OperationKind } from "../call/operation-kind.ts";
import { chat } from "../operations/chat/chat.ts";

const unlimited = { rpm: null, tpm: null, maxParallel: null, modelRpm: {}, modelTpm: {} };

/** Fields of a caller without limits. */
export const noLimits = {
  limits: { key: unlimited, team: unlimited, organization: unlimited },
  budgets: new BudgetSet([]),
  identity: encodeIdentity({ organizationId: "org_1", teamId: "team_1", keyId: "key_1", userId: null }),
  organizationName: "Acme",
};

/** A valid caller without model restrictions. */
export const anyCaller: Caller = {
  ...noLimits,
  keyId: "key_1",
  keyName: "ci",
  role: "internal_user",
  userId: null,
  teamId: "team_1",
  teamName: "Research",
  organizationId: "org_1",
  isTeamBlocked: false,
  isDisabled: false,
  expiresAtMs: null,
  allowedRoutes: null,
  models: { key: [], team: [], user: [], organization: [] },
  keyAliases: {},
  teamAliases: {},
  rpmLimit: null,
  tpmLimit: null,
  keepsContent: false,
  tags: [],
  guardrails: [],
};

export interface ChatCallOptions {
  /** The body as sent by the client. */
  readonly text?: string;
  readonly shownName?: string;
  readonly dropped?: readonly string[];
  readonly extraHeaders?: readonly string[];
  readonly hops?: string | null;
  /** The session in a header, one character per byte. */
  readonly session?: string;
  /** Defaults to chat. */
  readonly kind?: OperationKind;
}

/** Creates a call whose body has already been read, for tests of later steps. */
export function makeChatCall(options: ChatCallOptions = {}): Call<ChatRequest> {
  const text = options.text ?? '{"model":"group","messages":[{"role":"user","content":"hello"}]}';
  const bytes = Buffer.from(text, "utf8");
  const kind = (options.kind ?? chat) as OperationKind<ChatRequest>;
  const scan = scanJsonBytes(bytes, kind.textsIn ?? null);
  if (scan.kind === "refused") throw new Error(scan.reason);
  const request = JSON.parse(scan.text) as ChatRequest;
  const body: CallBody<ChatRequest> = {
    bytes,
    members: scan.members,
    mustRebuild: scan.hasEscapedKey || request.extra_body != null,
    request,
    dropped: new Set(options.dropped),
    extraHeaders: options.extraHeaders ?? [],
    file: null,
  };
  const exchange = { headers: { hops: options.hops ?? null, session: options.session ?? null } } as Exchange;
  const displayName = options.shownName ?? "group";
  const shownJson = Buffer.from(JSON.stringify(displayName), "utf8").toString("latin1");
  const model = {
    shownName: displayName,
    shownJson,
    shownHeader: displayName,
    name: displayName,
    targets: [],
  } as unknown as ChosenModel;
  return new Call(exchange, anyCaller, kind, model, body, { timeoutMs: null, streamTimeoutMs: null });
}
