import type { Secret } from "@tollgate/domain/secret.ts";
import type { Caller } from "../call/caller.ts";
import type { ChosenModel } from "../call/chosen-model.ts";
import type { ModelList } from "./build-model-list.ts";
import { findModel, type ModelPolicy, type NamedCaller } from "./find-model.ts";
import { withPriceList } from "./sold-prices.ts";

const noLists = { key: [], team: [], user: [], organization: [] };
const noAliases: Readonly<Record<string, string>> = {};
const MAX_REMEMBERED = 1_000;

/**
 * Finds models and caches the results per caller. A lookup checks aliases, patterns, and permission lists, and a key
 * usually requests the same few models. Cached results are discarded together with the model list or the caller's
 * record.
 */
export class ModelLookup {
  readonly list: ModelList;
  readonly policy: ModelPolicy;
  readonly #byCaller = new WeakMap<Caller, Map<string, ChosenModel>>();
  readonly #configuredByCaller = new WeakMap<Caller, Map<string, ChosenModel>>();

  constructor(list: ModelList, policy: ModelPolicy) {
    this.list = list;
    this.policy = { ...policy, named: new WeakMap() };
  }

  find(caller: Caller, asked: string): ChosenModel {
    return this.#findFor(this.#byCaller, caller, asked, caller);
  }

  /**
   * Finds a model that the settings name, such as a fallback. The caller needs no permission for the model, and key and
   * team aliases don't apply to its name.
   */
  findConfigured(caller: Caller, name: string): ChosenModel {
    const named = { keyAliases: noAliases, teamAliases: noAliases, teamId: caller.teamId, models: noLists };
    return this.#findFor(this.#configuredByCaller, caller, name, named);
  }

  /**
   * Finds a model for a call with the caller's own key. The result contains the key, so it is never cached.
   */
  findWithOwnKey(caller: Caller, asked: string, ownKey: Secret): ChosenModel {
    return findModel(this.list, caller, asked, this.policy, ownKey);
  }

  #findFor(lists: WeakMap<Caller, Map<string, ChosenModel>>, caller: Caller, asked: string, named: NamedCaller) {
    let remembered = lists.get(caller);
    if (remembered === undefined) {
      remembered = new Map();
      lists.set(caller, remembered);
    }
    const known = remembered.get(asked);
    if (known !== undefined) return known;
    const standard = findModel(this.list, named, asked, this.policy);
    const found = caller.priceList == null ? standard : withPriceList(standard, caller.priceList);
    // Clients can send any name that matches a pattern, so the number of names is unlimited.
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(asked, found);
    return found;
  }
}
