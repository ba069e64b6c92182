import type { Secret } from "@tollgate/domain/secret.ts";
import { signWebhook } from "@tollgate/domain/webhooks/sign-webhook.ts";
import type { Transport, UpstreamRequest } from "../call/provider.ts";
import { fetchFromUpstream, type WholeAnswer } from "../providers/fetch-from-upstream.ts";
import { FailureBreaker } from "./failure-breaker.ts";
import { ModerationWindow } from "./moderation-window.ts";
import type { Subject, TextCheck, TextWindow, Verdict } from "./text-check.ts";

const MAX_MS = 5_000;
const MAX_AT_ONCE = 256;
/** Maximum response size, not counting the returned text. */
const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_MESSAGE = 500;

interface WebhookTarget {
  /** Path of the webhook, relative to the transport's origin. */
  readonly path: string;
  readonly transport: Transport;
  readonly apiKey: Secret | null;
  readonly secret: Secret | null;
}

/** Sends text to the operator's webhook for a verdict. */
export class WebhookCheck implements TextCheck {
  readonly #target: WebhookTarget;
  readonly #breaker = new FailureBreaker(() => performance.now());
  #asking = 0;

  constructor(target: WebhookTarget) {
    this.#target = target;
  }

  async look(texts: readonly string[], subject: Subject): Promise<Verdict | null> {
    if (this.#asking >= MAX_AT_ONCE) throw new Error("too many concurrent webhook requests");
    this.#breaker.enter();
    this.#asking += 1;
    try {
      return await this.#ask(texts, subject);
    } finally {
      this.#asking -= 1;
    }
  }

  openWindow(subject: Subject): TextWindow {
    return new ModerationWindow(this, subject);
  }

  async #ask(texts: readonly string[], subject: Subject): Promise<Verdict | null> {
    const body = JSON.stringify(describe(texts, subject));
    const longest = MAX_ANSWER_BYTES + 2 * Buffer.byteLength(body, "utf8");
    const { status, text } = await this.#post(body, longest);
    // Redirects are not followed, because they could send the text to a URL that isn't allowed.
    if (status !== 200) throw new Error(`the webhook returned status ${status}`);
    return readVerdict(Buffer.from(text, "latin1").toString("utf8"), texts.length);
  }

  /**
   * Posts to the webhook. A missing response doesn't count as a model failure. An invalid response doesn't count toward
   * the breaker, because a single caller's text may have caused it, and other callers' text must still be checked.
   */
  async #post(body: string, longest: number): Promise<WholeAnswer> {
    try {
      const answer = await fetchFromUpstream(this.#target.transport, this.#request(body), MAX_MS, longest);
      this.#breaker.succeed();
      return answer;
    } catch (cause) {
      this.#breaker.fail();
      throw new Error("the webhook did not respond", { cause });
    }
  }

  #request(body: string): UpstreamRequest {
    const { path, apiKey, secret } = this.#target;
    const headers = [
      "content-type",
      "application/json",
      "accept",
      "application/json",
      "user-agent",
      "tollgate-guardrails",
    ];
    if (apiKey !== null) headers.push("authorization", `Bearer ${apiKey.reveal()}`);
    if (secret !== null) headers.push("x-gw-signature", signWebhook(secret.reveal(), body, new Date()));
    return { path, headers, body: Buffer.from(body, "utf8") };
  }
}

/** Builds the webhook's request body. */
function describe(texts: readonly string[], { call, mode, side }: Subject): object {
  const metadata =
    call === null
      ? {}
      : {
          call_id: call.exchange.callId,
          operation: call.operation,
          model: call.model.shownName,
          stream: call.isStream,
          key_id: call.caller.keyId,
          team_id: call.caller.teamId,
          organization_id: call.caller.organizationId,
          end_user: call.endUser,
        };
  return { stage: mode, [side]: { texts }, metadata };
}

/** Parses the webhook's response strictly. Any malformed response is an error. */
function readVerdict(text: string, count: number): Verdict | null {
  const answer = JSON.parse(text) as { action?: unknown; message?: unknown; content?: unknown } | null;
  const { action, message, content } = answer ?? {};
  if (action === "allow") return null;
  if (action === "block") {
    const reason = typeof message === "string" && message !== "" ? message.slice(0, MAX_MESSAGE) : "refused";
    return { kind: "block", reason };
  }
  const texts = typeof content === "string" ? [content] : content;
  const isReplacement =
    Array.isArray(texts) && texts.length === count && texts.every((item) => typeof item === "string");
  if (action === "mask" && isReplacement) return { kind: "mask", texts: texts as string[] };
  throw new Error("the webhook returned an invalid response");
}
