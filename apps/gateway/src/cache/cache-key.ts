import { createHash } from "node:crypto";
import { canonicalJson } from "@tollgate/domain/canonical-json.ts";
import type { CacheSettings } from "@tollgate/runtime/settings/settings.ts";
import { ownerOf } from "../pipeline/account/owner-of.ts";
import { readableRequest } from "../pipeline/body/call-body.ts";
import type { Call } from "../pipeline/call.ts";
import type { Caller } from "../pipeline/caller.ts";

/** Fields that say who asks, what for, and how the gateway shall go about it; the answer is the same with others. */
const withoutInfluence: ReadonlySet<string> = new Set([
  ...["model", "metadata", "user", "stream", "caching", "cache", "guardrails", "tags", "mock_response"],
  ...["num_retries", "timeout", "stream_timeout", "fallbacks", "disable_fallbacks", "context_window_fallback_dict"],
  ...["context_window_fallbacks", "content_policy_fallbacks", "api_version", "api_type", "custom_llm_provider"],
]);

/** Streams of these are kept in a form that any call of the operation can be answered from. */
export function canChangeForm({ operation }: Call): boolean {
  return operation === "chat.completions" || operation === "completions";
}

/** What a call's key is made of: everything that decides its answer, and everyone it is kept apart for. */
export interface KeyParts {
  readonly request: Readonly<Record<string, unknown>>;
  /** The rest, as JSON. */
  readonly context: string;
}

/** Reads what decides a call's answer. `namespace` is the call's own; `file` stands for what was uploaded with it. */
export function keyPartsOf(
  call: Call,
  settings: CacheSettings,
  namespace: string | null,
  file: object | null,
): KeyParts {
  const { caller, exchange, kind, model, operation, answerForm } = call;
  const readable = readableRequest(call.body) as Readonly<Record<string, unknown>>;
  const own = new Set(kind.fields.own ?? []);
  const isFormless = canChangeForm(call);
  const request = Object.fromEntries(
    Object.entries(readable).filter(
      ([name]) => !withoutInfluence.has(name) && !own.has(name) && !(isFormless && name === "stream_options"),
    ),
  );
  const inMetadata = (readable.metadata as { readonly tags?: unknown } | null | undefined)?.tags ?? null;
  const context = canonicalJson({
    operation,
    form: isFormless ? null : answerForm,
    group: model.name,
    shownName: model.shownName,
    namespaces: [settings.namespace, namespace],
    scope: scopeOf(caller, settings.scope),
    guardrails: call.guards?.revisions ?? null,
    tags: [readable.tags ?? null, inMetadata, exchange.headers.tags, caller.tags],
    // What a client of Anthropic's wire says that it speaks reaches the model.
    spoken: operation === "messages" ? [exchange.headers.anthropicVersion, exchange.headers.anthropicBeta] : null,
    file,
  });
  return { request, context };
}

/** The key itself: nothing of what was asked can be read from it. */
export function keyOf({ request, context }: KeyParts): string {
  return createHash("sha256")
    .update(`${context}\n${canonicalJson(request)}`)
    .digest("hex");
}

/** Who shares an answer. Organizations never do, unless the operator says that everyone does. */
function scopeOf(caller: Caller, scope: CacheSettings["scope"]): string {
  const { keyId, teamId, organizationId } = caller;
  if (scope === "global") return "global";
  const organization = `organization:${organizationId ?? ""}`;
  if (scope === "key") return `${organization} key:${keyId}`;
  if (teamId !== null) return `${organization} team:${teamId}`;
  return organizationId === null ? ownerOf(caller) : organization;
}
