import { readFileSync } from "node:fs";
import { findKnownProvider, inferProvider } from "./infer-provider.ts";
import type { CatalogFile, Model } from "./model.ts";
import { readModel } from "./read-model.ts";

export interface Catalog {
  readonly version: string;
  /** Date on which the prices matched the providers' prices, as YYYY-MM-DD. */
  readonly pricesAsOf: string;
  /** Returns the model for the first known name in the list. A name is a full ID or a bare name. */
  find(names: readonly string[]): Model | undefined;
  /** Returns all models of one provider, sorted by ID; empty for an unknown provider. */
  modelsOfProvider(provider: string): readonly Model[];
  /** Returns all providers with at least one model, sorted. */
  providers(): readonly string[];
  /** Returns the most likely provider of a name without a prefix; undefined if there is none. */
  inferProvider(bareName: string): string | undefined;
}

let loaded: Catalog | undefined;

/** Returns the catalog shipped with this version, loaded on first use and shared afterwards. */
export function loadCatalog(): Catalog {
  loaded ??= openCatalog(readFileSync(new URL("./catalog.generated.json", import.meta.url), "utf8"));
  return loaded;
}

/** Opens the catalog from the text of a generated file, which must be sorted and valid. The file's test checks both. */
function openCatalog(text: string): Catalog {
  const file = JSON.parse(text) as CatalogFile;
  const byId = new Map<string, Model>();
  const byProvider = new Map<string, Model[]>();
  for (const record of file.models) {
    const model = readModel(record);
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
