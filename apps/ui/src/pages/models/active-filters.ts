import { formatTokens } from "@tollgate/domain/figures/size-text.ts";
import { capabilities } from "../../api/hub-model.ts";
import { nameMode, nameProvider } from "../../format/model-names.ts";
import type { HubQuery } from "./filter-hub.ts";

/** Hub query without filters. */
export const noFilters = {
  search: "",
  provider: [],
  mode: [],
  input: [],
  output: [],
  can: [],
  param: "",
  context: "",
  maxIn: "",
  maxOut: "",
  mine: "",
  priced: "",
  simulated: "",
} as const;

type Change = (change: Partial<HubQuery>) => void;

/** Returns each active filter with its label and a callback to remove it. */
export function activeFilters(query: HubQuery, onChange: Change) {
  const text = (name: keyof HubQuery, label: string) =>
    query[name] === "" ? [] : [{ label, onRemove: () => onChange({ [name]: "" }) }];
  const list = (name: "provider" | "mode" | "input" | "output" | "can", say: (value: string) => string) =>
    query[name].map((value) => ({
      label: say(value),
      onRemove: () => onChange({ [name]: query[name].filter((other) => other !== value) }),
    }));
  return [
    ...text("search", `“${query.search}”`),
    ...list("provider", nameProvider),
    ...list("mode", nameMode),
    ...list("can", (value) => capabilities.find(({ name }) => name === value)?.label ?? value),
    ...list("input", (value) => `Input: ${value}`),
    ...list("output", (value) => `Output: ${value}`),
    ...text("context", `Context ${formatTokens(Number(query.context))} or more`),
    ...text("maxIn", `Input up to $${query.maxIn}`),
    ...text("maxOut", `Output up to $${query.maxOut}`),
    ...text("param", `Supports ${query.param}`),
    ...text("mine", "Available to my keys"),
    ...text("priced", "Priced only"),
  ];
}
