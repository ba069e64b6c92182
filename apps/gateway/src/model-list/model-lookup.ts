import type { Caller } from "../pipeline/caller.ts";
import type { ModelList } from "./build-model-list.ts";
import { type ChosenModel, findModel, type ModelPolicy } from "./find-model.ts";

const MAX_REMEMBERED = 1_000;

/**
 * Finds models and remembers what was found per caller: a lookup walks aliases, patterns and permission lists, and the
 * same key asks for the same few models. Forgets with the model list, and with the caller's record.
 */
export class ModelLookup {
  readonly list: ModelList;
  readonly policy: ModelPolicy;
  readonly #byCaller = new WeakMap<Caller, Map<string, ChosenModel>>();

  constructor(list: ModelList, policy: ModelPolicy) {
    this.list = list;
    this.policy = policy;
  }

  find(caller: Caller, asked: string): ChosenModel {
    let remembered = this.#byCaller.get(caller);
    if (remembered === undefined) {
      remembered = new Map();
      this.#byCaller.set(caller, remembered);
    }
    const known = remembered.get(asked);
    if (known !== undefined) return known;
    const found = findModel(this.list, caller, asked, this.policy);
    // Names under a pattern are the client's to choose, so there is no end of them.
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(asked, found);
    return found;
  }
}
