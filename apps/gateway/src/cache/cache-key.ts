import { createHash } from "node:crypto";
import { canonicalJson } from "@tollgate/domain/canonical-json.ts";
import type { CacheSettings } from "@tollgate/runtime/settings/settings.ts";
import type { Call } from "../call/call.ts";
import { readableRequest } from "../call/call-body.ts";
import type { Caller } from "../call/caller.ts";
import { ownerOf } from "../call/owner-of.ts";

/** Fields that don't affect the response, because they describe the caller or control only the gateway. */
const withoutInfluence: ReadonlySet<string> = new Set([
  ...["model", "metadata", "user", "stream", "caching", "cache", "guardrails", "tags", "mock_response"],
  ...["num_retries", "timeout", "stream_timeout", "fallbacks", "disable_fallbacks", "context_window_fallback_dict"],
  ...["context_window_fallbacks", "content_policy_fallbacks", "api_version", "api_type", "custom_llm_provider"],
]);

/** Reports whether the operation's cached responses can be converted between streamed and whole forms. */
export function canChangeForm({ operation }: Call): boolean {
  return operation === "chat.completions" || operation === "completions";
}

/** The parts of a cache key: everything that determines the response, and the scope in which the response is shared. */
export interface KeyParts {
  readonly request: Readonly<Record<string, unknown>>;
  /** All parts of the key other than the request, as JSON. */
  readonly context: string;
}

/**
 * Collects everything that determines a call's response. `namespace` comes from the call's cache options, and `file`
 * describes the call's upload.
 */
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
    // Anthropic's version headers are forwarded to the model.
    spoken: operation === "messages" ? [exchange.headers.anthropicVersion, exchange.headers.anthropicBeta] : null,
    file,
  });
  return { request, context };
}

/** Returns the cache key. It is a digest, so it doesn't reveal the request. */
export function keyOf({ request, context }: KeyParts): string {
  return createHash("sha256")
    .update(`${context}\n${canonicalJson(request)}`)
    .digest("hex");
}

/**
 * Returns the scope in which a response is shared. The scope never spans organizations unless the operator sets a
 * global scope.
 */
function scopeOf(caller: Caller, scope: CacheSettings["scope"]): string {
  const { keyId, teamId, organizationId } = caller;
  if (scope === "global") return "global";
  const organization = `organization:${organizationId ?? ""}`;
  if (scope === "key") return `${organization} key:${keyId}`;
  if (teamId !== null) return `${organization} team:${teamId}`;
  return organizationId === null ? ownerOf(caller) : organization;
}
