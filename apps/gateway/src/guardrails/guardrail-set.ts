import { Failure } from "@tollgate/contracts/failures.ts";
import type { GuardrailSettings } from "@tollgate/runtime/settings/settings.ts";
import type { Call, CallGuards, Guardrails } from "../call/call.ts";
import type { Transport } from "../call/provider.ts";
import { ActiveGuards } from "./active-guards.ts";
import { type CheckTools, createCheck } from "./create-check.ts";
import { Guard, type GuardrailObserver } from "./guard.ts";

/** The configured guardrails. Selects the guardrails that apply to a call. */
export class GuardrailSet implements Guardrails {
  readonly #guards: ReadonlyMap<string, Guard>;
  readonly #always: readonly Guard[];
  readonly #transports: Transport[] = [];

  constructor(settings: readonly GuardrailSettings[], tools: CheckTools, observer: GuardrailObserver | null) {
    const connect = (origin: string): Transport => {
      const transport = tools.connect(origin);
      this.#transports.push(transport);
      return transport;
    };
    const guards = settings.map((one) => new Guard(one, createCheck(one, { ...tools, connect }), observer));
    this.#guards = new Map(guards.map((guard) => [guard.name, guard]));
    this.#always = guards.filter((guard) => guard.settings.defaultOn);
  }

  guardsOf(call: Call): CallGuards | null {
    const { guardrails: asked } = call.body.request;
    const { guardrails: owned } = call.caller;
    if ((asked == null || asked.length === 0) && owned.length === 0) {
      return this.#always.length === 0 ? null : new ActiveGuards(this.#always);
    }
    const active = new Set(this.#always);
    for (const name of owned) active.add(this.#get(name, "key or its team"));
    for (const name of asked ?? []) active.add(this.#get(Buffer.from(name, "latin1").toString("utf8"), "request"));
    return new ActiveGuards([...active]);
  }

  /** Returns null if the name is unknown. */
  find(name: string): Guard | null {
    return this.#guards.get(name) ?? null;
  }

  /** Closes the guardrails' connections. Connections in use close when their calls end. */
  async close(): Promise<void> {
    await Promise.all(this.#transports.map((transport) => transport.close()));
  }

  #get(name: string, asker: string): Guard {
    const guard = this.#guards.get(name);
    if (guard !== undefined) return guard;
    throw new Failure("invalid_request", `Guardrail '${name}' is not configured, but the ${asker} requires it.`, {
      param: "guardrails",
      fix: "List guardrails with GET /guardrails/list. The operator configures them.",
    });
  }
}
