import { readFileSync } from "node:fs";
import { findKnownProvider, inferProvider } from "./infer-provider.ts";
import type { CatalogFile, CatalogSource, Model } from "./model.ts";
import { readModel } from "./read-model.ts";
import type { DisputePolicy } from "./settle-disputes.ts";

export interface Catalog {
  /** The edition, such as `2026-08.1`. */
  readonly version: string;
  /** Date on which the prices matched the providers' prices, as YYYY-MM-DD. */
  readonly pricesAsOf: string;
  /** Sources of the facts by ID. Facts come from the first one unless a model names another. */
  readonly sources: Readonly<Record<string, CatalogSource>>;
  /** Returns all models, sorted by ID. */
  models(): readonly Model[];
  /** Returns the model for the first known name in the list. A name is a full ID or a bare name. */
  find(names: readonly string[]): Model | undefined;
  /** Returns all models of one provider, sorted by ID; empty for an unknown provider. */
  modelsOfProvider(provider: string): readonly Model[];
  /** Returns all providers with at least one model, sorted. */
  providers(): readonly string[];
  /** Returns the most likely provider of a name without a prefix; undefined if there is none. */
  inferProvider(bareName: string): string | undefined;
}

const defaultPolicy: DisputePolicy = { rule: "higher", confirmations: new Map() };

/** Returns the text of the edition that is part of this version. */
export function readBuiltInCatalog(): string {
  return readFileSync(new URL("./catalog.generated.json", import.meta.url), "utf8");
}

let current: Catalog | undefined;
const opened = (): Catalog => {
  current ??= openCatalog(readBuiltInCatalog());
  return current;
};

/** The catalog of this process. All code uses the same object, and `useCatalog` replaces its contents. */
const shared: Catalog = {
  get version() {
    return opened().version;
  },
  get pricesAsOf() {
    return opened().pricesAsOf;
  },
  get sources() {
    return opened().sources;
  },
  models: () => opened().models(),
  find: (names) => opened().find(names),
  modelsOfProvider: (provider) => opened().modelsOfProvider(provider),
  providers: () => opened().providers(),
  inferProvider: (bareName) => opened().inferProvider(bareName),
};

/** Returns this process's catalog. Until `useCatalog` is called, it is the edition that is part of this version. */
export function loadCatalog(): Catalog {
  return shared;
}

/** Returns the edition that this process uses, to find out whether another one is in use later. */
export function editionInUse(): object {
  return opened();
}

/** Makes this process use another edition. Lists of models that were built before keep their prices. */
export function useCatalog(catalog: Catalog): void {
  current = catalog;
}

/** Opens an edition from its text, which must be valid. `findCatalogProblem` checks texts from elsewhere. */
export function openCatalog(text: string, policy: DisputePolicy = defaultPolicy): Catalog {
  const file = JSON.parse(text) as CatalogFile;
  const byId = new Map<string, Model>();
  const byProvider = new Map<string, Model[]>();
  for (const record of file.models) {
    const model = readModel(record, policy);
    byId.set(model.id, model);
    const siblings = byProvider.get(model.provider);
    if (siblings) siblings.push(model);
    else byProvider.set(model.provider, [model]);
  }
  const providers = [...byProvider.keys()].sort();

  const isKnown = (id: string): boolean => byId.has(id);

  const findOne = (name: string): Model | undefined => {
    const exact = byId.get(withoutParameters(name));
    if (exact) return exact;
    const provider = findKnownProvider(name, isKnown);
    return provider === undefined ? undefined : byId.get(`${provider}/${name}`);
  };

  return {
    version: file.version,
    pricesAsOf: file.pricesAsOf,
    sources: file.sources ?? {},
    models: () => [...byId.values()],
    find: (names) => {
      for (const name of names) {
        const model = findOne(name);
        if (model) return model;
      }
      return undefined;
    },
    modelsOfProvider: (provider) => byProvider.get(provider) ?? [],
    providers: () => providers,
    inferProvider: (bareName) => inferProvider(bareName, isKnown),
  };
}

/** Removes the parameters of a simulated model (`sim/lorem?tokens=200`), which don't affect its price. */
function withoutParameters(name: string): string {
  return name.startsWith("sim/") ? (name.split("?", 1)[0] as string) : name;
}
