import { Failure } from "@tollgate/contracts/failures.ts";
import type { AssistantsSettings } from "@tollgate/runtime/settings/settings.ts";
import type { Caller } from "../call/caller.ts";

type ListenerLimits = Pick<AssistantsSettings, "listenersPerKey" | "listenersPerOrganization">;

/** Open streams of one key. */
interface OpenStreams {
  readonly keyId: string;
  readonly organizationId: string | null;
  readonly streams: number;
}

/** Called after each change. The function returns the open streams of each key. */
export type OnRunStreams = (list: () => readonly OpenStreams[]) => void;

/** Counts the open streams of run events of this process, and limits them per key and organization. */
export class RunListeners {
  readonly #open = new Map<string, number>();
  readonly #keys = new Map<string, OpenStreams>();
  readonly #onChange: OnRunStreams;

  constructor(onChange: OnRunStreams = () => {}) {
    this.#onChange = onChange;
  }

  /** Returns a function that ends the listener. Throws if the caller has the maximum number of listeners. */
  open(caller: Caller, limits: ListenerLimits): () => void {
    const { keyId, keyName, organizationId, organizationName } = caller;
    const owners = [
      { id: `key ${keyId}`, type: "key", name: keyName, maximum: limits.listenersPerKey },
      ...(organizationId === null
        ? []
        : [
            {
              id: `organization ${organizationId}`,
              type: "organization",
              name: organizationName ?? organizationId,
              maximum: limits.listenersPerOrganization,
            } as const,
          ]),
    ] as const;
    for (const { id, type, name, maximum } of owners) {
      const current = this.#open.get(id) ?? 0;
      if (current < maximum) continue;
      const whose = type === "key" ? `Key '${name}'` : `Organization '${name}'`;
      throw new Failure("rate_limit_exceeded", `${whose} has ${current} open streams of run events, the maximum.`, {
        retryAfterMs: 1_000,
        limit: { kind: "run_streams", ownerType: type, ownerName: name, current, maximum, resetsAt: null },
        fix: "Close other streams, or create the run without `stream` and retrieve it.",
      });
    }
    for (const { id } of owners) this.#open.set(id, (this.#open.get(id) ?? 0) + 1);
    this.#changeKey(keyId, organizationId, 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      for (const { id } of owners) this.#close(id);
      this.#changeKey(keyId, organizationId, -1);
    };
  }

  #changeKey(keyId: string, organizationId: string | null, added: number): void {
    const streams = (this.#keys.get(keyId)?.streams ?? 0) + added;
    if (streams > 0) this.#keys.set(keyId, { keyId, organizationId, streams });
    else this.#keys.delete(keyId);
    this.#onChange(() => [...this.#keys.values()]);
  }

  #close(id: string): void {
    const left = (this.#open.get(id) ?? 0) - 1;
    if (left > 0) this.#open.set(id, left);
    else this.#open.delete(id);
  }
}
