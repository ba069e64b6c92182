import { capabilities, type HubModel, hasCapability } from "../../api/hub-model.ts";
import { nameMode, nameProvider } from "../../format/model-names.ts";

/**
 * Ranks how well a model matches a search. 0 is best, and null means that a word has no match. A match in the name
 * counts most.
 */
export function rankModel(model: HubModel, search: string): number | null {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const name = model.id.toLowerCase();
  if (name === words.join(" ")) return 0;
  const ranks = words.map((word) => rankWord(model, name, word));
  return ranks.some((rank) => rank === null) ? null : ranks.reduce<number>((sum, rank) => sum + (rank ?? 0), 0);
}

function rankWord(model: HubModel, name: string, word: string): number | null {
  if (name.startsWith(word)) return 1;
  if (name.split(/[\s/_.:-]+/).some((part) => part.startsWith(word))) return 2;
  if (name.includes(word)) return 3;
  if (model.providers.some((each) => `${each} ${nameProvider(each)}`.toLowerCase().includes(word))) return 4;
  const able = capabilities.filter((capability) => hasCapability(model, capability.name)).map(({ label }) => label);
  const words = [nameMode(model.mode), ...able, ...model.inputModalities, ...model.outputModalities, model.description];
  return words.join(" ").toLowerCase().includes(word) ? 5 : null;
}
