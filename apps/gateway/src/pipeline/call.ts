import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import type { TopLevelMember } from "@tollgate/domain/json-text.ts";
import type { ModelLists } from "@tollgate/domain/routing/model-permission.ts";
import type { Exchange } from "../edge/exchange.ts";
import type { ChosenModel } from "../model-list/find-model.ts";

export type Role = "proxy_admin" | "internal_user";

/** Who calls: a key, its team and organization, and what bounds them. */
export interface Caller {
  readonly keyId: string;
  readonly keyName: string;
  readonly role: Role;
  readonly userId: string | null;
  readonly teamId: string | null;
  readonly teamName: string | null;
  readonly organizationId: string | null;
  readonly isTeamBlocked: boolean;
  readonly isDisabled: boolean;
  readonly expiresAtMs: number | null;
  /** Paths and groups of operations the key may use; null means inference and information. */
  readonly allowedRoutes: readonly string[] | null;
  readonly models: ModelLists;
  readonly keyAliases: Readonly<Record<string, string>>;
  readonly teamAliases: Readonly<Record<string, string>>;
  readonly rpmLimit: number | null;
  readonly tpmLimit: number | null;
}

/** A chat body that was read and checked, and what it asks of the gateway itself. */
export interface ChatBody {
  /** As it came, one character per byte, so that positions are byte positions. */
  readonly text: string;
  readonly members: readonly TopLevelMember[];
  /** Cannot be edited in place: a key is written with escapes, or members must be merged. */
  readonly mustRebuild: boolean;
  /** Strings in it are bytes, not characters: decode before looking at content. */
  readonly request: ChatRequest;
  /** Names taken out before the body is sent. */
  readonly dropped: ReadonlySet<string>;
  readonly extraHeaders: readonly string[];
}

/** One chat call: who asks, which model, under which limits. */
export class ChatCall {
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly model: ChosenModel;
  readonly isStream: boolean;
  readonly wantsUsage: boolean;
  readonly timeoutMs: number;
  readonly streamTimeoutMs: number;
  readonly bodyBytes: number;
  readonly hops: number;
  #body: ChatBody | null;

  constructor(
    exchange: Exchange,
    caller: Caller,
    model: ChosenModel,
    body: ChatBody,
    limits: { timeoutMs: number; streamTimeoutMs: number },
  ) {
    this.exchange = exchange;
    this.caller = caller;
    this.model = model;
    this.#body = body;
    this.bodyBytes = body.text.length;
    this.isStream = body.request.stream === true;
    this.wantsUsage = this.isStream && body.request.stream_options?.include_usage === true;
    this.timeoutMs = limits.timeoutMs;
    this.streamTimeoutMs = limits.streamTimeoutMs;
    this.hops = Number(exchange.headers.hops ?? 0);
  }

  get body(): ChatBody {
    if (this.#body === null) throw new Error("the body of this call was dropped when its answer began");
    return this.#body;
  }

  /** Lets go of the prompt once no other target can be tried. */
  dropBody(): void {
    this.#body = null;
  }
}
