import { Failure } from "@tollgate/contracts/failures.ts";
import type { AnswerControl, AnswerListener, Transport, UpstreamRequest } from "../../call/provider.ts";
import { AdapterExchange } from "./adapter-exchange.ts";
import { createAdapterFetch } from "./adapter-fetch.ts";
import type { AdapterProvider } from "./model-v4.ts";

/** Maximum number of origins that one package may call. Known packages use one or two. */
const MAX_ORIGINS = 8;

/** Sends calls to a package's models. The package's own requests use the gateway's connections and rules. */
export class AdapterTransport implements Transport {
  readonly #open: (apiBase: string) => Transport;
  readonly #create: (fetch: typeof globalThis.fetch) => AdapterProvider;
  readonly #connections = new Map<string, Transport>();
  #adapter: AdapterProvider | null = null;

  constructor(open: (apiBase: string) => Transport, create: (fetch: typeof globalThis.fetch) => AdapterProvider) {
    this.#open = open;
    this.#create = create;
  }

  send(request: UpstreamRequest, listener: AnswerListener): AnswerControl {
    // The adapter is created on the first call, because some processes build model lists but never call a model.
    this.#adapter ??= this.#create(createAdapterFetch((origin) => this.#connectionsTo(origin)));
    const exchange = new AdapterExchange(listener);
    void exchange.run(this.#adapter, request);
    return exchange;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#connections.values()].map((transport) => transport.close()));
  }

  #connectionsTo(origin: string): Transport {
    const existing = this.#connections.get(origin);
    if (existing !== undefined) return existing;
    if (this.#connections.size >= MAX_ORIGINS) {
      throw new Failure("internal_error", "The adapter for this model calls too many hosts.");
    }
    const opened = this.#open(origin);
    this.#connections.set(origin, opened);
    return opened;
  }
}
