import { readFileSync } from "node:fs";
import { findKnownProvider, inferProvider } from "./infer-provider.ts";
import type { CatalogFile, Model } from "./model.ts";
import { readModel } from "./read-model.ts";

export interface Catalog {
  readonly version: string;
  /** The day the prices were those of the providers, as YYYY-MM-DD. */
  readonly pricesAsOf: string;
  /** The first of the names that is known, full ids and bare names alike; the order is the caller's. */
  find(names: readonly string[]): Model | undefined;
  /** All models of one provider, sorted by id; none for a provider that is not known. */
  modelsOfProvider(provider: string): readonly Model[];
  /** Every provider that has a model, sorted. */
  providers(): readonly string[];
  /** The provider to try for a name that has none, or undefined when nothing speaks for any. */
  inferProvider(bareName: string): string | undefined;
}

let loaded: Catalog | undefined;

/** The catalogue that ships with this version, read on first use and shared from then on. */
export function loadCatalog(): Catalog {
  loaded ??= openCatalog(readFileSync(new URL("./catalogue.generated.json", import.meta.url), "utf8"));
  return loaded;
}

/** A catalogue over the text of a generated file, which is trusted to be sorted and valid: its test is where that is checked. */
export function openCatalog(text: string): Catalog {
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

/** A simulated model is steered by a query in its name (`sim/lorem?tokens=200`), which does not change what it costs. */
function withoutParameters(name: string): string {
  return name.startsWith("sim/") ? (name.split("?", 1)[0] as string) : name;
}
