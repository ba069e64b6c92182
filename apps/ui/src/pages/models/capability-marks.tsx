import { Braces, Brain, Eye, GitFork, Layers, type LucideIcon, Wrench } from "lucide-react";
import { type CapabilityName, capabilities, type HubModel, hasCapability } from "../../api/hub-model.ts";

const glyphs: Readonly<Record<CapabilityName, LucideIcon>> = {
  vision: Eye,
  tools: Wrench,
  parallel_tools: GitFork,
  json_schema: Braces,
  reasoning: Brain,
  caching: Layers,
};

/** Capabilities shown in rows. Parallel tool calls have no icon because it would add little to the tools icon. */
const inRows = capabilities.filter(({ name }) => name !== "parallel_tools");

/** Capabilities of a model, each at a fixed position, so that rows can be compared. */
export function CapabilityMarks({ model }: { readonly model: HubModel }) {
  const able = inRows.filter(({ name }) => hasCapability(model, name));
  const words = able.length === 0 ? "None" : able.map(({ label }) => label).join(", ");
  return (
    <span role="img" aria-label={words} className="inline-flex gap-px">
      {inRows.map(({ name, label }) => {
        const Glyph = glyphs[name];
        return hasCapability(model, name) ? (
          <span key={name} title={label} className="grid h-[18px] w-[17px] place-items-center rounded-[4px] bg-sunken">
            <Glyph size={12} strokeWidth={1.75} aria-hidden />
          </span>
        ) : (
          <span key={name} aria-hidden className="grid h-[18px] w-[17px] place-items-center text-outline-soft">
            –
          </span>
        );
      })}
    </span>
  );
}

/** Legend for the capability icons. */
export function CapabilityLegend() {
  return (
    <ul className="flex flex-wrap gap-x-3.5 gap-y-1" aria-label="Capabilities">
      {inRows.map(({ name, label }) => {
        const Glyph = glyphs[name];
        return (
          <li key={name} className="inline-flex items-center gap-1.5">
            <Glyph size={12} strokeWidth={1.75} aria-hidden />
            {label}
          </li>
        );
      })}
    </ul>
  );
}

/** Capabilities of one model with labels. */
export function CapabilityList({ model }: { readonly model: HubModel }) {
  const able = capabilities.filter(({ name }) => hasCapability(model, name));
  if (able.length === 0) return <p className="text-table text-muted">No known capabilities.</p>;
  return (
    <ul className="flex flex-wrap gap-1.5">
      {able.map(({ name, label }) => {
        const Glyph = glyphs[name];
        return (
          <li
            key={name}
            className="inline-flex h-6 items-center gap-1.5 rounded-[4px] bg-sunken px-2 text-meta inset-ring inset-ring-border"
          >
            <Glyph size={12} strokeWidth={1.75} aria-hidden />
            {label}
          </li>
        );
      })}
    </ul>
  );
}
