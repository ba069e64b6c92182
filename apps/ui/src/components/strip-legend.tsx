import type { MoneyPart, TimePart } from "./strip-segments.ts";
import { StripSwatch } from "./strip-swatch.tsx";

const entries: readonly (readonly [TimePart | MoneyPart, string])[] = [
  ["gatewayBefore", "Gateway"],
  ["queue", "Queue"],
  ["failed", "Failed attempt"],
  ["firstToken", "First token"],
  ["generation", "Generation"],
  ["input", "Input"],
  ["cached", "Cached"],
  ["output", "Output"],
];

/** What the parts of a strip mean, for the foot of a list. */
export function StripLegend() {
  return (
    <ul className="flex flex-wrap gap-x-3.5 gap-y-1 text-meta text-muted" aria-label="Request strip">
      {entries.map(([part, label]) => (
        <li key={part} className="inline-flex items-center gap-1.5 whitespace-nowrap">
          <StripSwatch part={part} />
          {label}
        </li>
      ))}
    </ul>
  );
}
