import type { ModelChange, PriceChange } from "@tollgate/catalog/compare-editions.ts";
import type { Dispute, Model } from "@tollgate/catalog/model.ts";

type Names = ReadonlyMap<string, readonly string[]>;

const MAX_SHOWN_NAMES = 3;

/** Describes the differences between two editions: models in use first, then the number of other models. */
export function describeChanges(changes: readonly ModelChange[], used: Names, showsAll: boolean): string {
  const inUse = changes.filter(({ model }) => used.has(model));
  const shown = showsAll ? [...inUse, ...changes.filter(({ model }) => !used.has(model))] : inUse;
  const lines = shown.flatMap((change) => [
    `  ${signs[change.kind]} ${change.model}${namesOf(change.model, used)}${change.isDisputed ? ", disputed" : ""}`,
    ...change.prices.map((price) => `      ${describeChange(price)}`),
  ]);
  const count = (kind: ModelChange["kind"]) => changes.filter((change) => change.kind === kind).length;
  const total = `${count("changed")} models changed, ${count("added")} added, ${count("removed")} removed; ${inUse.length} in use`;
  return `${[...lines, `  ${total}`].join("\n")}\n`;
}

/** Describes a model's disputed prices: the amounts of both sources, and the one that applies. */
export function describeDisputes(model: Model, used: Names, sources: readonly string[]): string {
  const [first = "first", second = "second"] = sources;
  const state = model.isRefused ? "refused until confirmed" : "the higher amount applies";
  const lines = model.disputes.map(
    (dispute) =>
      `      ${dispute.field.padEnd(18)} ${first} ${amount(dispute.first, dispute)}, ` +
      `${second} ${amount(dispute.second, dispute)} → ${model.isRefused ? "none" : amount(dispute.applied, dispute)}`,
  );
  return `${[`  ${model.id}${namesOf(model.id, used)}: ${state}`, ...lines].join("\n")}\n`;
}

/** Describes one disputed price in a sentence, with its unit. */
export function describeDispute(dispute: Dispute, sources: readonly string[], isRefused: boolean): string {
  const [first = "first", second = "second"] = sources;
  const applied = isRefused ? "none" : amount(dispute.applied, dispute);
  const amounts = `${first} ${amount(dispute.first, dispute)}, ${second} ${amount(dispute.second, dispute)}`;
  return `${nameOfField(dispute.field)}: ${amounts}; ${applied} applies`;
}

const names: Readonly<Record<string, string>> = {
  input: "input",
  output: "output",
  cacheRead: "cached input",
  cacheWrite: "cache write",
  longCacheWrite: "one-hour cache write",
  outputReasoning: "reasoning",
  inputAudio: "audio input",
  outputAudio: "audio output",
  inputPerSecond: "second of input",
  outputPerSecond: "second of output",
  inputPerImage: "input image",
  outputPerImage: "image",
  perQuery: "search unit",
  perRequest: "request",
  perWebSearch: "web search",
  perFileSearch: "file search",
  perCodeSession: "code session",
  perToolCall: "tool call",
};
const LONG_PROMPT = /^(\w+)Above(\d+)$/;

/** Names a price as a reader would: `input above 272000 tokens, per million tokens`. */
function nameOfField(field: string): string {
  if (field === "inputPerCharacter") return "input, per million characters";
  const [, base = field, threshold] = LONG_PROMPT.exec(field) ?? [];
  const name = `${names[base] ?? base}${threshold === undefined ? "" : ` above ${threshold} tokens`}`;
  return isPerUnit(field) ? name : `${name}, per million tokens`;
}

const signs = { added: "+", removed: "−", changed: "~" } as const;

function namesOf(model: string, used: Names): string {
  const names = used.get(model) ?? [];
  if (names.length === 0) return "";
  const more = names.length > MAX_SHOWN_NAMES ? ", …" : "";
  return ` (used by ${names.slice(0, MAX_SHOWN_NAMES).join(", ")}${more})`;
}

function describeChange({ field, before, after }: PriceChange): string {
  return `${field.padEnd(18)} ${formatRate(field, before)} → ${formatRate(field, after)}${ratio(before, after)}`;
}

function ratio(before: bigint | null, after: bigint | null): string {
  if (before === null || after === null || before === 0n) return "";
  const tenths = ((after - before) * 1_000n) / before;
  return `  (${tenths < 0n ? "−" : "+"}${Number(tenths < 0n ? -tenths : tenths) / 10} %)`;
}

const amount = (pico: bigint | null, { field }: Dispute): string => formatRate(field, pico);

const PICO_PER_USD = 1_000_000_000_000n;
const MILLION = 1_000_000n;

/** Formats a rate in USD: per million tokens or characters, or per unit. */
function formatRate(field: string, pico: bigint | null): string {
  if (pico === null) return "none";
  const scaled = isPerUnit(field) ? pico : pico * MILLION;
  const fraction = (scaled % PICO_PER_USD).toString().padStart(12, "0").replace(/0+$/, "");
  return `$${scaled / PICO_PER_USD}${fraction === "" ? "" : `.${fraction}`}`;
}

function isPerUnit(field: string): boolean {
  return field.startsWith("size ") || (/[Pp]er[A-Z]/.test(field) && !field.startsWith("inputPerCharacter"));
}
