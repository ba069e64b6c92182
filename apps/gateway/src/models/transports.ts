import type { Secret } from "@tollgate/domain/secret.ts";
import type { Provider, Transport, TransportLayer } from "../call/provider.ts";

/**
 * The connections of all deployments, with one set per URL and credential, so that an error on a reused socket can't
 * affect calls with another credential. Connections survive reloads if their target is still configured.
 */
export class Transports {
  readonly #create: (apiBase: string, isGuarded: boolean) => Transport;
  readonly #byTarget = new Map<string, Transport>();

  /**
   * A guarded transport connects only to public IP addresses, because its URL was entered by a user who doesn't control
   * this network.
   */
  constructor(create: (apiBase: string, isGuarded: boolean) => Transport) {
    this.#create = create;
  }

  get(
    provider: Provider,
    apiBase: string | null,
    apiKey: Secret | null,
    isGuarded = false,
    layer: TransportLayer | null = null,
  ): Transport {
    const target = provider.localTransport ? provider.name : apiBase;
    const through = layer === null ? null : [provider.name, layer.identity];
    const key = JSON.stringify([target, apiKey?.reveal() ?? null, isGuarded, through]);
    const existing = this.#byTarget.get(key);
    if (existing !== undefined) return existing;
    const connections = this.#open(provider, apiBase, isGuarded);
    const created = layer?.over(connections, (other) => this.#create(other, isGuarded)) ?? connections;
    this.#byTarget.set(key, created);
    return created;
  }

  /** Closes each transport that is not in `used` once its calls have finished. */
  async keepOnly(used: ReadonlySet<Transport>): Promise<void> {
    const unused = [...this.#byTarget].filter(([, transport]) => !used.has(transport));
    for (const [key] of unused) this.#byTarget.delete(key);
    await Promise.all(unused.map(([, transport]) => transport.close()));
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#byTarget.values()].map((transport) => transport.close()));
    this.#byTarget.clear();
  }

  #open(provider: Provider, apiBase: string | null, isGuarded: boolean): Transport {
    if (provider.localTransport) return provider.localTransport();
    if (apiBase === null) throw new Error(`a deployment of '${provider.name}' has no api_base`);
    return this.#create(apiBase, isGuarded);
  }
}
